// Grammars for llama.cpp's sampler as data: expressions, rules, and the GBNF text they make.

/** Inclusive code points. */
export type CharRange = readonly [from: number, to: number]

export type Expression =
  | { kind: 'text'; text: string }
  | { kind: 'chars'; ranges: readonly CharRange[] }
  | { kind: 'sequence'; parts: readonly Expression[] }
  /** Without parts it matches nothing at all. */
  | { kind: 'choice'; parts: readonly Expression[] }
  /** Any number of times. The part is never empty: llama.cpp hangs on repeated empty parts. */
  | { kind: 'many'; part: Expression }
  | { kind: 'repeat'; part: Expression; min: number; max: number }
  | { kind: 'rule'; name: string }

export const nothing: Expression = { kind: 'sequence', parts: [] }
export const never: Expression = { kind: 'choice', parts: [] }

export const text = (text: string): Expression => (text === '' ? nothing : { kind: 'text', text })

export const chars = (...ranges: CharRange[]): Expression => ({ kind: 'chars', ranges })

export const rule = (name: string): Expression => ({ kind: 'rule', name })

export function sequence(...parts: Expression[]): Expression {
  const flat: Expression[] = []
  for (const part of parts.flatMap((part) => (part.kind === 'sequence' ? part.parts : [part]))) {
    const last = flat.at(-1)
    if (isNever(part)) return never
    if (part.kind === 'text' && last?.kind === 'text') flat[flat.length - 1] = text(last.text + part.text)
    else flat.push(part)
  }
  const [only] = flat
  return flat.length === 1 && only ? only : { kind: 'sequence', parts: flat }
}

export function choice(...parts: Expression[]): Expression {
  const flat = parts.flatMap((part) => (part.kind === 'choice' ? part.parts : [part]))
  const [only] = flat
  return flat.length === 1 && only ? only : { kind: 'choice', parts: flat }
}

export const optional = (part: Expression): Expression => choice(part, nothing)

export const many = (part: Expression): Expression => (isNever(part) ? nothing : { kind: 'many', part })

/** A limited number of times. Like `many`, never of an empty part. */
export function times(part: Expression, min: number, max: number): Expression {
  if (max === 0) return nothing
  return min === 1 && max === 1 ? part : { kind: 'repeat', part, min, max }
}

export const isNever = (expression: Expression): boolean =>
  expression.kind === 'choice' && expression.parts.length === 0

type Rules = ReadonlyMap<string, Expression>

/** The rules as llama.cpp reads them, in the order they were made. */
export function grammarText(rules: Rules): string {
  return [...rules].map(([name, expression]) => `${name} ::= ${render(expression)}\n`).join('')
}

export function render(expression: Expression): string {
  switch (expression.kind) {
    case 'text':
      return `"${[...expression.text].map((char) => escaped(codePoint(char))).join('')}"`
    case 'chars':
      return `[${expression.ranges.map(renderRange).join('')}]`
    case 'sequence':
      return expression.parts.length === 0 ? '""' : expression.parts.map(renderPart).join(' ')
    case 'choice':
      return expression.parts.map(render).join(' | ')
    case 'many':
      return `${renderUnit(expression.part)}*`
    case 'repeat':
      return `${renderUnit(expression.part)}{${counts(expression)}}`
    case 'rule':
      return expression.name
  }
}

function renderPart(expression: Expression): string {
  if (expression.kind !== 'choice') return render(expression)
  const present = expression.parts.filter((part) => !isEmptyText(part))
  if (present.length === expression.parts.length) return `(${render(expression)})`
  return `${renderUnit(choice(...present))}?`
}

const counts = ({ min, max }: { min: number; max: number }): string => (min === max ? `${min}` : `${min},${max}`)

/** What a quantifier may follow. */
function renderUnit(expression: Expression): string {
  const single = expression.kind === 'rule' || expression.kind === 'chars'
  return single ? render(expression) : `(${render(expression)})`
}

const isEmptyText = (part: Expression): boolean => part.kind === 'sequence' && part.parts.length === 0

const renderRange = ([from, to]: CharRange): string => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`)

const codePoint = (char: string): number => char.codePointAt(0) ?? 0

const plain = /^[A-Za-z0-9 _.,:;{}<>|/@#%&*+=!?'`~$()]$/

/** Plain letters as they are, all others by number, so that nothing can mean something to the grammar's parser. */
function escaped(code: number): string {
  const char = String.fromCodePoint(code)
  if (plain.test(char)) return char
  if (code === 0x0a) return '\\n'
  if (code === 0x22) return '\\"'
  if (code === 0x5c) return '\\\\'
  if (code < 0x100) return `\\x${hex(code, 2)}`
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

const hex = (code: number, digits: number): string => code.toString(16).toUpperCase().padStart(digits, '0')
