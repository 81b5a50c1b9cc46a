// What is wrong with a file, as a sentence for a person. Everything that the reader throws is one of these.
export class Fault extends Error {}

export function need(condition, text) {
  if (!condition) throw new Fault(text);
}
