// Package dialogue knows where a conversation is: it reads what leans on what was said and done before, resolves what is
// relative against the pose of the robot, and remembers what it takes to go on, to go back and to answer a question.
//
// The planner reads a sentence by itself. What it makes of it, with the axes that are named, goes through [State.Read]: a
// sentence all of whose words lean on something ("a bit further", "and now the other antenna", "undo that") becomes steps of its
// own, an answer completes the command that was asked about, a correction replaces the last one. [Resolve] counts the angles
// from where the robot is, right before each step is run.
//
// The words are in perception/language/en/dialogue.txt, what they do is a table of rules in rules.go.
package dialogue
