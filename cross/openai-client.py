"""Talks to a robot with OpenAI's own client. Usage: openai-client.py URL. Prints one line for each thing that works; exits 1 at the first that does not."""

import io
import sys
import wave

import openai

base = sys.argv[1]
client = openai.OpenAI(base_url=base + "/v1", api_key="unused", max_retries=0)

models = [m.id for m in client.models.list()]
assert models == ["reachy-mini"], models
assert client.models.retrieve("reachy-mini").owned_by == "reachyd"
print("models", models)

talk = [{"role": "system", "content": "You are a robot."}, {"role": "user", "content": "What is 12 times 12?"}]
answer = client.chat.completions.create(model="reachy-mini", messages=talk)
said = answer.choices[0].message.content
assert "144" in said, said
assert answer.choices[0].finish_reason == "stop" and answer.usage.total_tokens > 0
print("chat", said)

talk += [{"role": "assistant", "content": said}, {"role": "user", "content": [{"type": "text", "text": "look left"}]}]
said, reason = "", None
for chunk in client.chat.completions.create(model="reachy-mini", messages=talk, stream=True, stream_options={"include_usage": True}):
    for choice in chunk.choices:
        said += choice.delta.content or ""
        reason = choice.finish_reason or reason
assert said and reason == "stop", (said, reason)
print("stream", said)

client.responses.create(model="reachy-mini", input="look straight ahead")
answer = client.responses.create(model="reachy-mini", instructions="You are a robot.", input="look left 20 degrees", user="openai-client")
assert "20" in answer.output_text and answer.status == "completed" and answer.usage.total_tokens > 0, answer
print("response", answer.output_text)
said, kinds = "", set()
with client.responses.stream(model="reachy-mini", input="do that again", previous_response_id=answer.id) as stream:
    for event in stream:
        kinds.add(event.type)
        said += event.delta if event.type == "response.output_text.delta" else ""
    whole = stream.get_final_response()
assert "40" in said and whole.output_text == said and "response.completed" in kinds, (said, whole)
print("response as a stream, which goes on with the one before:", said)
lamp = {"type": "function", "name": "lamp", "description": "a lamp", "parameters": {"type": "object", "properties": {}}, "strict": False}
answer = client.responses.create(model="gpt-4o-mini", input="What is 12 times 12?", tools=[lamp], max_output_tokens=150, store=False)
assert "144" in answer.output_text, answer
print("response beside tools of the caller:", answer.output_text)

for name, call in {
    "no input": lambda: client.responses.create(model="reachy-mini", input=[]),
    "unknown response": lambda: client.responses.create(model="reachy-mini", input="look up", previous_response_id="resp_never"),
    "an item of an unknown type": lambda: client.responses.create(model="reachy-mini", input=[{"type": "mystery"}]),
    "an empty text": lambda: client.audio.speech.create(model="tts-1", voice="alloy", input=""),
    "no messages": lambda: client.chat.completions.create(model="reachy-mini", messages=[]),
    "wrong role": lambda: client.chat.completions.create(model="reachy-mini", messages=[{"role": "assistant", "content": "x"}]),
}.items():
    try:
        call()
        sys.exit(name + " was accepted")
    except openai.BadRequestError as e:
        print("refused:", name, "-", e.body["message"])

sound = io.BytesIO()
with wave.open(sound, "wb") as w:
    w.setnchannels(1), w.setsampwidth(2), w.setframerate(16000), w.writeframes(bytes(32000))
try:
    print("transcription", repr(client.audio.transcriptions.create(model="whisper-1", file=("a.wav", sound.getvalue())).text))
except openai.ConflictError as e:
    assert e.code == "not_available", e
    print("transcription: this robot has no senses:", e.body["message"])
try:
    speech = client.audio.speech.create(model="tts-1", voice="alloy", input="Hello there.", response_format="wav").read()
    assert speech[:4] == b"RIFF" and len(speech) > 10000, len(speech)
    print("speech", len(speech), "bytes")
except openai.ConflictError as e:
    assert e.code == "not_available", e
    print("speech: this robot has no senses:", e.body["message"])
