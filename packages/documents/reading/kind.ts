// What a file is: by its first bytes, and by its name where these say nothing.
import { Buffer } from 'node:buffer'
import { problems } from '../problems.ts'
import { looksLikeEmail } from './email.ts'
import { detectEncoding } from './encoding.ts'

export type Kind =
  | { form: 'text'; encoding: string }
  | { form: 'html'; encoding: string }
  | { form: 'pdf' }
  | { form: 'email' }
  | { form: 'zip' }

/** So much of a file's beginning shows what it is. */
export const sampleBytes = 64 * 1024

const zipExtensions: Record<string, string> = {
  docx: 'Word document',
  docm: 'Word document',
  pptx: 'PowerPoint presentation',
  pptm: 'PowerPoint presentation',
  xlsx: 'Excel workbook',
  xlsm: 'Excel workbook',
  odt: 'OpenDocument text',
  odp: 'OpenDocument presentation',
  ods: 'OpenDocument spreadsheet',
  epub: 'EPUB book',
}
const htmlExtensions = new Set(['html', 'htm', 'xhtml'])
/** Names that promise text; others are tried as well. */
const textExtensions =
  /^(txt|text|md|markdown|rst|adoc|org|tex|log|json|jsonl|ndjson|ya?ml|toml|ini|cfg|conf|csv|tsv|xml|svg|sql|c|h|cc|cpp|hpp|cs|css|scss|go|java|kt|swift|rs|js|mjs|cjs|jsx|ts|tsx|php|py|rb|pl|lua|r|sh|bash|ps1|bat|diff|patch)$/

/** Where a PDF may have a few bytes of something else before its mark. */
const pdfMarkWithin = 1024
const signatures: readonly [bytes: string, what: string, advice?: string][] = [
  ['\x89PNG\r\n', 'a PNG image'],
  ['\xff\xd8\xff', 'a JPEG image'],
  ['GIF8', 'a GIF image'],
  ['RIFF', 'a sound, video or WebP image'],
  ['II*\0', 'a TIFF image'],
  ['MM\0*', 'a TIFF image'],
  ['ID3', 'a sound'],
  ['OggS', 'a sound'],
  ['fLaC', 'a sound'],
  ['\x1f\x8b', 'a compressed archive'],
  ['BZh', 'a compressed archive'],
  ['7z\xbc\xaf\x27\x1c', 'a compressed archive'],
  ['Rar!', 'a compressed archive'],
  ['\xfd7zXZ\0', 'a compressed archive'],
  ['\x28\xb5\x2f\xfd', 'a compressed archive'],
  ['\x7fELF', 'a program'],
  ['MZ\x90', 'a program'],
  ['SQLite format 3\0', 'a database'],
  ['{\\rtf', 'a Rich Text document', 'Save it as .docx.'],
  ['%!PS', 'a PostScript document', 'Save it as PDF.'],
]
const oldOfficeMark = '\xd0\xcf\x11\xe0'

export const extensionOf = (filename: string): string => /\.([^./\\]+)$/.exec(filename)?.[1]?.toLowerCase() ?? ''

/** Throws a problem when it is nothing that can be read. `isWhole`: the sample is the whole file. */
export function kindOf(filename: string, sample: Uint8Array, isWhole: boolean): Kind {
  const extension = extensionOf(filename)
  const start = Buffer.from(sample.buffer, sample.byteOffset, Math.min(sample.length, pdfMarkWithin)).toString('latin1')
  if (start.startsWith(oldOfficeMark)) throw problems.oldOffice()
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return { form: 'zip' }
  if (start.startsWith('%PDF-') || (extension === 'pdf' && start.includes('%PDF-'))) return { form: 'pdf' }
  if (extension === 'pdf') throw problems.notOfKind(extension, 'PDF')
  const archive = zipExtensions[extension]
  if (archive !== undefined) throw problems.notOfKind(extension, archive)
  const known = signatures.find(([bytes]) => start.startsWith(bytes))
  if (known !== undefined) throw problems.unsupportedKind(known[1], known[2])
  if (extension === 'eml' && looksLikeEmail(start)) return { form: 'email' }
  return textKind(extension, sample, isWhole)
}

function textKind(extension: string, sample: Uint8Array, isWhole: boolean): Kind {
  const encoding = detectEncoding(sample, isWhole)
  const isNamedText = textExtensions.test(extension)
  if (encoding !== undefined) {
    const isHtml = htmlExtensions.has(extension) || (!isNamedText && looksLikeHtml(sample, encoding))
    return { form: isHtml ? 'html' : 'text', encoding }
  }
  const declared = htmlExtensions.has(extension) ? declaredEncoding(sample) : undefined
  if (declared !== undefined) return { form: 'html', encoding: declared }
  throw isNamedText || htmlExtensions.has(extension) ? problems.badEncoding() : problems.unknownKind()
}

function looksLikeHtml(sample: Uint8Array, encoding: string): boolean {
  const start = new TextDecoder(encoding).decode(sample.subarray(0, 512))
  return /^\s*(<!doctype html|<html)[\s>]/i.test(start)
}

/** `<meta charset="…">` of a page in an older encoding. */
function declaredEncoding(sample: Uint8Array): string | undefined {
  const start = Buffer.from(sample.subarray(0, 4096)).toString('latin1')
  const label = /<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{2,30})/i.exec(start)?.[1]
  if (label === undefined || /^utf-?(8|16)/i.test(label)) return undefined
  try {
    return new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}
