// What values have a shape: whether a given one does, whether any does.
import { decimal, floorTo } from '../numbers/decimal.ts'
import type { TextPatterns } from '../strings/text-patterns.ts'
import { canonical } from './canonical.ts'
import { type Conjunction, elementConjunction, type JsonType, propertyConjunction, type Shape } from './shape.ts'

interface Shapes {
  readonly patterns: TextPatterns
  shapes(conjunction: Conjunction): readonly Shape[]
}

/** How far into values to look for a contradiction. */
const lookDepth = 4

/** True: certainly no value keeps to all of these. False: perhaps one does. */
export function isImpossible(reader: Shapes, conjunction: Conjunction, depth = lookDepth): boolean {
  return reader.shapes(conjunction).every((shape) => isImpossibleShape(reader, shape, depth))
}

function isImpossibleShape(reader: Shapes, shape: Shape, depth: number): boolean {
  if (shape.values) return !shape.values.some((value) => keepsTo(reader, shape, value))
  return [...shape.types].every((type) => {
    if (type === 'string') return shape.maxLength !== undefined && shape.maxLength < shape.minLength
    if (type === 'number') return isEmptyRange(shape)
    if (depth === 0) return false
    if (type === 'object') {
      return shape.required.some((name) =>
        isImpossible(reader, propertyConjunction(reader.patterns, shape, name), depth - 1),
      )
    }
    if (type !== 'array') return false
    if (shape.maxItems !== undefined && shape.maxItems < shape.minItems) return true
    const needed = Math.min(shape.minItems, Math.max(0, ...shape.arrays.map(({ first }) => first.length)) + 1)
    return Array.from({ length: needed }, (_, index) => elementConjunction(shape, index)).some((conjunction) =>
      isImpossible(reader, conjunction, depth - 1),
    )
  })
}

function isEmptyRange({ min, max }: Shape): boolean {
  if (!min || !max) return false
  return min.value > max.value || (min.value === max.value && (min.exclusive || max.exclusive))
}

function isValid(reader: Shapes, conjunction: Conjunction, value: unknown): boolean {
  return reader.shapes(conjunction).some((shape) => hasShape(reader, shape, value))
}

/** The values of a shape's enum that its other keywords allow. */
export const allowedValues = (reader: Shapes, shape: Shape): readonly unknown[] =>
  (shape.values ?? []).filter((value) => keepsTo(reader, shape, value))

function hasShape(reader: Shapes, shape: Shape, value: unknown): boolean {
  const isListed = !shape.values || shape.values.some((one) => canonical(one) === canonical(value))
  return isListed && keepsTo(reader, shape, value)
}

/** All but the list of values. */
function keepsTo(reader: Shapes, shape: Shape, value: unknown): boolean {
  if (!shape.types.has(typeOf(value))) return false
  if (typeof value === 'number') return isNumberOf(shape, value)
  if (typeof value === 'string') return isStringOf(reader, shape, value)
  if (Array.isArray(value)) return isArrayOf(reader, shape, value)
  return typeof value !== 'object' || value === null || isObjectOf(reader, shape, value as Record<string, unknown>)
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : (typeof value as JsonType)
}

function isNumberOf({ whole, min, max, multipleOf }: Shape, value: number): boolean {
  if (whole && !Number.isInteger(value)) return false
  if (min && (min.exclusive ? value <= min.value : value < min.value)) return false
  if (max && (max.exclusive ? value >= max.value : value > max.value)) return false
  if (!multipleOf) return true
  const exact = decimal(value)
  const scale = Math.max(exact.scale, multipleOf.scale)
  return floorTo(exact, scale) % floorTo(multipleOf, scale) === 0n
}

function isStringOf(reader: Shapes, { minLength, maxLength, patterns }: Shape, value: string): boolean {
  const length = [...value].length
  if (length < minLength || (maxLength !== undefined && length > maxLength)) return false
  return patterns.every(({ source }) => reader.patterns.matches(source, value))
}

function isArrayOf(reader: Shapes, shape: Shape, value: unknown[]): boolean {
  if (value.length < shape.minItems || value.length > (shape.maxItems ?? value.length)) return false
  if (shape.uniqueItems && new Set(value.map(canonical)).size < value.length) return false
  return value.every((part, index) => isValid(reader, elementConjunction(shape, index), part))
}

function isObjectOf(reader: Shapes, shape: Shape, value: Record<string, unknown>): boolean {
  const names = Object.keys(value)
  if (names.length < shape.minProperties || names.length > (shape.maxProperties ?? names.length)) return false
  if (!shape.required.every((name) => Object.hasOwn(value, name))) return false
  return names.every((name) => isValid(reader, propertyConjunction(reader.patterns, shape, name), value[name]))
}
