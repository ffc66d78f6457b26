// JSON mode: the answer is one JSON object, whatever it holds.
import { GrammarBuilder } from './grammar-builder.ts'
import { anyObject } from './json-text.ts'

export function jsonObjectGrammar(): string {
  const builder = new GrammarBuilder()
  return builder.text(anyObject(builder)) ?? ''
}
