// Small changes to the bytes of a file, as damage or malice makes them.
import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { unzipSync, zipSync } from 'fflate'

interface Change {
  kind: (typeof kinds)[number]
  /** Where, and how much: shares of the file. */
  at: number
  length: number
  /** Which of several ways. */
  choice: number
}

const kinds = ['flip', 'insert', 'remove', 'repeat', 'move', 'cut', 'number', 'tag', 'entity'] as const
const maxRun = 512
const maxRepeats = 2_000
const maxBytes = 2 * 1024 ** 2
const numbers = ['0', '-1', '1', '255', '65536', '2147483648', '4294967295', '99999999999999999999', '1e308', 'NaN', '']
const inserts = [
  '\0',
  '\xff\xfe',
  '\r',
  '<',
  '</',
  '<![CDATA[',
  '<!--',
  '&#x10ffff;',
  '&#xd800;',
  '"',
  '>>',
  'stream\n',
  'PK\x01\x02',
]
const tags = [
  '<p>',
  '</p>',
  '<w:p>',
  '<w:tbl>',
  '<a:t>',
  '<c t="s"><v>',
  '<text:s text:c="9999999"/>',
  '<table><tr><td>',
  '<script>',
  '<pre>',
]
const entities = [
  '&amp;',
  '&a;',
  '&#0;',
  '&#99999999;',
  '<!DOCTYPE x [<!ENTITY a "&a;&a;">]>',
  '%',
  '\\(',
  '<< /Kids [1 0 R] >>',
]

const share = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true })

/** Some changes, one after the other. */
export const changes: fc.Arbitrary<Change[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...kinds), at: share, length: share, choice: fc.nat(255) }),
  { minLength: 1, maxLength: 6 },
)

export const changed = (file: Buffer, list: readonly Change[]): Buffer =>
  list.reduce((bytes, change) => apply(bytes, change).subarray(0, maxBytes), file)

/** Changes what an archive holds, and packs it again: damage behind the checksums. */
export function changedInside(zip: Buffer, entry: number, list: readonly Change[]): Buffer {
  const files = unzipSync(zip)
  const names = Object.keys(files)
  const name = names[entry % names.length] ?? ''
  return Buffer.from(zipSync({ ...files, [name]: changed(Buffer.from(files[name] ?? []), list) }))
}

function apply(bytes: Buffer, { kind, at, length, choice }: Change): Buffer {
  const from = Math.floor(at * bytes.length)
  const to = Math.min(bytes.length, from + 1 + Math.floor(length * maxRun))
  const replaced = (middle: string | Buffer, end = from): Buffer =>
    Buffer.concat([bytes.subarray(0, from), Buffer.from(middle as string, 'latin1'), bytes.subarray(end)])
  const repeats = 1 + Math.floor(length * maxRepeats)
  const one = (list: readonly string[]): string => list[choice % list.length] ?? ''
  switch (kind) {
    case 'flip':
      return Buffer.from(bytes.map((byte, place) => (place === from ? byte ^ (1 << (choice % 8)) : byte)))
    case 'insert':
      return replaced(one(inserts))
    case 'remove':
      return replaced('', to)
    case 'repeat':
      return replaced(Buffer.concat(Array.from({ length: repeats }, () => bytes.subarray(from, from + 1 + choice))))
    case 'move':
      return Buffer.concat([bytes.subarray(from, to), bytes.subarray(0, from), bytes.subarray(to)])
    case 'cut':
      return bytes.subarray(0, from)
    case 'number':
      return otherNumber(bytes, from, one(numbers))
    case 'tag':
      return replaced(one(tags).repeat(repeats))
    case 'entity':
      return replaced(one(entities).repeat(1 + (choice >> 4)))
  }
}

/** In place of the first that stands at or behind a place. */
function otherNumber(bytes: Buffer, from: number, number: string): Buffer {
  const rest = bytes.subarray(from).toString('latin1').replace(/\d+/, number)
  return Buffer.concat([bytes.subarray(0, from), Buffer.from(rest, 'latin1')])
}
