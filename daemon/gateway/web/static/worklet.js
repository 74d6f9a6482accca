// Sound as 16 bits, in pieces of 64 ms.
registerProcessor("pcm", class extends AudioWorkletProcessor {
	piece = new Int16Array(1024); at = 0;
	process([input]) {
		for (const v of input[0] || []) {
			this.piece[this.at++] = Math.max(-1, Math.min(1, v)) * 32767;
			if (this.at === this.piece.length) { this.port.postMessage(this.piece.slice().buffer); this.at = 0; }
		}
		return true;
	}
});
