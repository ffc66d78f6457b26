// Bodies of senders that fill in a form: Slack's commands and interactions, and GitHub where it is set up so.
import { parseContentType } from '@atoll/kernel/http/body/content-type'

const formType = 'application/x-www-form-urlencoded'
const jsonStart = /^\s*[{["]/

/** curl calls whatever it sends a form: what begins like JSON, or has no field, is none. */
export function isForm(bytes: Buffer, contentType: string | undefined): boolean {
  if (parseContentType(contentType).mediaType !== formType) return false
  return bytes.includes('=') && !jsonStart.test(bytes.toString('latin1'))
}

/** A field that came several times is a list. */
export function readForm(text: string): Record<string, string | string[]> {
  const fields = new URLSearchParams(text)
  const values = [...new Set(fields.keys())].map((name) => [name, fields.getAll(name)] as const)
  return Object.fromEntries(values.map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]))
}

/** Where the whole form is one field with JSON in it, that is what was meant. */
export const wrappedJson = (form: Record<string, string | string[]>): string | undefined => {
  const { payload, ...more } = form
  return typeof payload === 'string' && Object.keys(more).length === 0 ? payload : undefined
}
