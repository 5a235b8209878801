// Answers requests of its input, one in each line, {"operation", "input", "options"}, with a line each: for tests of this
// package against a corpus.
import { createInterface } from "node:readline";
import { load } from "postrider";

const postrider = await load();
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const { operation, input, options } = JSON.parse(line);
  process.stdout.write(postrider.answer(operation, input, JSON.parse(options)) + "\n");
}
