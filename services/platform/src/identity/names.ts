import { problems } from './problems.ts'

const maxNameLength = 256
// Control characters have no place in a name, and PostgreSQL cannot store NUL.
const controlCharacter = /\p{Cc}/u

const idText = /^[\x21-\x7e]{1,128}$/

/** Whether a caller's text could be an id at all; asking PostgreSQL for some others is an error. */
export const isIdText = (text: string): boolean => idText.test(text)

/** The name without surrounding spaces, or a problem. */
export function checkedName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '' || trimmed.length > maxNameLength || controlCharacter.test(trimmed)) {
    throw problems.invalidName(maxNameLength)
  }
  return trimmed
}
