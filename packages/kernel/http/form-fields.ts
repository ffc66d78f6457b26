// The text fields of a form, collected within limits.
import type { ErrorCatalogue } from './error.ts'

export const maxFields = 50
export const maxFieldBytes = 64 * 1024
const maxNameLength = 256

export type FormFields = Record<string, string | string[]>

export class FieldCollector {
  readonly fields: FormFields = Object.create(null)
  readonly #errors: ErrorCatalogue
  readonly #fileName: string

  constructor(errors: ErrorCatalogue, fileName: string) {
    this.#errors = errors
    this.#fileName = fileName
  }

  /** Throws what is wrong with the field. `name[]` makes a list, as does a repeated name. */
  add(rawName: string | undefined, value: string, isTruncated: boolean): void {
    if (!rawName) throw this.#errors.invalidMultipart('A part has no name.')
    if (rawName.length > maxNameLength) throw this.#errors.invalidMultipart('The name of a part is too long.')
    const isList = rawName.endsWith('[]')
    const name = isList ? rawName.slice(0, -2) : rawName
    if (name === this.#fileName) throw this.#noFile(name)
    if (isTruncated) throw this.#tooBig(name)
    const old = this.fields[name]
    if (old === undefined) this.fields[name] = isList ? [value] : value
    else this.fields[name] = Array.isArray(old) ? [...old, value] : [old, value]
  }

  #noFile(param: string) {
    const expected = 'a file'
    const received = 'a string'
    const message = `Invalid type for '${param}': expected a file, but got a string instead.`
    return this.#errors.invalid({ kind: 'type', place: 'body', param, message, expected, received })
  }

  #tooBig(param: string) {
    const bound = { of: 'string' as const, limit: maxFieldBytes, inclusive: true }
    const message = `Invalid '${param}': expected <= ${maxFieldBytes} bytes.`
    return this.#errors.invalid({ kind: 'too_big', place: 'body', param, message, bound })
  }
}
