// What the rules of arrays and objects need for the values in them.
import type { Expression } from '../gbnf.ts'
import type { GrammarBuilder } from '../grammar-builder.ts'
import type { Conjunction } from './shape.ts'
import type { ShapeReader } from './shape-reader.ts'

export interface Rules {
  readonly builder: GrammarBuilder
  readonly reader: ShapeReader
  value(conjunction: Conjunction): Expression
}
