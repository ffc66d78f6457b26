// A name that an image is to have, as callers write it.
import { canonicalName, checkNewName, parseReference } from '../images/reference.ts'

export function readImageName(text: string): string {
  const reference = parseReference(text)
  checkNewName(reference)
  return canonicalName(reference)
}
