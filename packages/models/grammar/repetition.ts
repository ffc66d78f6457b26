// Bounded repetition in shapes that llama.cpp is quick on. Its own x{0,n} makes n rules, and beyond 2,000 it quietly
// forgets the limit; so long repetitions are made of blocks of blocks.
import { choice, type Expression, many, never, sequence, times } from './gbnf.ts'
import type { GrammarBuilder } from './grammar-builder.ts'

const blockSize = 64

/** `part` from `min` to `max` times; absent `max`: without an end. `part` must not match the empty text. */
export function repeat(builder: GrammarBuilder, part: Expression, min: number, max: number | undefined): Expression {
  if (max !== undefined && max < min) return never
  const unit = part.kind === 'chars' || part.kind === 'rule' ? part : builder.add('part', part)
  if (max === undefined) return sequence(exactly(builder, unit, min), many(unit))
  return sequence(exactly(builder, unit, min), upTo(builder, unit, max - min))
}

function exactly(builder: GrammarBuilder, unit: Expression, count: number): Expression {
  if (count < blockSize) return times(unit, count, count)
  const block = builder.shared(`block ${name(unit)}`, 'block', () => times(unit, blockSize, blockSize))
  return sequence(
    exactly(builder, block, Math.floor(count / blockSize)),
    times(unit, count % blockSize, count % blockSize),
  )
}

function upTo(builder: GrammarBuilder, unit: Expression, count: number): Expression {
  if (count < blockSize) return times(unit, 0, count)
  const block = builder.shared(`block ${name(unit)}`, 'block', () => times(unit, blockSize, blockSize))
  const blocks = Math.floor(count / blockSize)
  const full = sequence(exactly(builder, block, blocks), times(unit, 0, count % blockSize))
  return choice(sequence(upTo(builder, block, blocks - 1), times(unit, 0, blockSize - 1)), full)
}

const name = (unit: Expression): string => (unit.kind === 'rule' ? unit.name : JSON.stringify(unit))
