// Puts words together with the values of their variables.
import { Wrong } from './problem.ts'
import { readShellPattern, type ShellPattern } from './shell-pattern.ts'
import { type Modifier, readTemplate, type Template, type TemplateForm } from './template.ts'

/** Values by name; undefined: not set. */
export type Values = (name: string) => string | undefined

/** A few lines that double a value over and over could fill any memory. */
const maxExpandedLength = 1024 * 1024

export function expandWord(text: string, values: Values, form: TemplateForm): string {
  return filledIn(readTemplate(text, form), values)
}

/** As a shell does it: spaces in values end words unless they are quoted. */
export function expandWords(text: string, values: Values, form: TemplateForm): string[] {
  const words: string[] = []
  let word: string | undefined
  const end = () => {
    if (word !== undefined && word !== '') words.push(word)
    word = undefined
  }
  for (const part of readTemplate(text, form)) {
    const value = 'text' in part ? part.text : filledIn([part], values)
    if (part.isQuoted) {
      word = (word ?? '') + value
      continue
    }
    const pieces = value.split(/\s+/)
    for (const [at, piece] of pieces.entries()) {
      if (at > 0) end()
      if (piece !== '') word = (word ?? '') + piece
    }
  }
  end()
  return words
}

/** Throws where a value could never be made, whatever the variables are. `offset`: where the word stands, if known. */
export function checkWord(text: string, form: TemplateForm, offset?: number): void {
  try {
    checkTemplate(readTemplate(text, form))
  } catch (error) {
    if (!(error instanceof Wrong)) throw error
    throw new Wrong(error.message, offset === undefined ? undefined : offset + (error.offset ?? 0))
  }
}

function checkTemplate(template: Template): void {
  for (const part of template) {
    if ('text' in part || part.modifier === undefined) continue
    const { modifier } = part
    if ('word' in modifier) checkTemplate(modifier.word)
    else if (modifier.pattern.every((each) => 'text' in each)) patternOf(modifier.pattern, () => undefined)
  }
}

function filledIn(template: Template, values: Values): string {
  let text = ''
  for (const part of template) {
    if ('text' in part) text += part.text
    else if (part.modifier === undefined) text += values(part.name) ?? ''
    else text += modified(part.name, part.modifier, values)
    if (text.length > maxExpandedLength) throw new Wrong(`a value of more than ${maxExpandedLength} characters`)
  }
  return text
}

function modified(name: string, modifier: Modifier, values: Values): string {
  const value = values(name)
  switch (modifier.kind) {
    case '-':
      return isSet(value, modifier.isEmptyUnset) ? value : filledIn(modifier.word, values)
    case '+':
      return isSet(value, modifier.isEmptyUnset) ? filledIn(modifier.word, values) : ''
    case '?': {
      if (isSet(value, modifier.isEmptyUnset)) return value
      const usual = `is not allowed to be ${value === undefined ? 'unset' : 'empty'}`
      throw new Wrong(`${name}: ${filledIn(modifier.word, values) || usual}`)
    }
    case '#':
    case '##':
      return patternOf(modifier.pattern, values).withoutPrefix(value ?? '', modifier.kind === '##')
    case '%':
    case '%%':
      return patternOf(modifier.pattern, values).withoutSuffix(value ?? '', modifier.kind === '%%')
    default: {
      const replacement = filledIn(modifier.replacement, values)
      return patternOf(modifier.pattern, values).replace(value ?? '', replacement, modifier.kind === '//')
    }
  }
}

const isSet = (value: string | undefined, isEmptyUnset: boolean): value is string =>
  value !== undefined && !(isEmptyUnset && value === '')

const patternOf = (template: Template, values: Values): ShellPattern => readShellPattern(filledIn(template, values))
