// Every way in which a file cannot be read, in words for its owner.
import { DocumentProblem, NoText } from './documents.ts'

const supported =
  'Supported are plain text in UTF-8 or UTF-16, Markdown, HTML, JSON, CSV, source code, e-mail (.eml), PDF, DOCX, PPTX, XLSX, OpenDocument and EPUB files.'
const megabyte = 1024 ** 2
const advice =
  'run text recognition (OCR) on it and upload the new file, or have the server do so (its setting platform.vectorStores.ocr)'

const invalid = (message: string, cause?: unknown): DocumentProblem =>
  new DocumentProblem('invalid_file', message, { cause })
const unsupported = (message: string): DocumentProblem => new DocumentProblem('unsupported_file', message)

export const problems = {
  empty: () => invalid('The file is empty. Upload one with text in it.'),
  noText: () =>
    new NoText('invalid_file', 'The file holds no text, or nothing but blanks. Upload one with text in it.', false),
  noTextInPdf: () =>
    new NoText('invalid_file', `No text was found in the PDF. If it holds scanned pages or pictures, ${advice}.`, true),
  scanned: () =>
    new NoText(
      'unsupported_file',
      `The PDF holds scanned pages: pictures with hardly any text. To have it searched, ${advice}.`,
      true,
    ),
  ocrFoundNothing: () =>
    invalid('No text was found in the PDF, and text recognition (OCR) found none on its pages either.'),
  ocrTooSlow: (seconds: number) =>
    invalid(
      `The PDF has hardly any text, and that on its pictures was not recognized (OCR) within ${seconds} seconds. Split it and upload the parts.`,
    ),
  ocrTooMuch: () =>
    invalid(
      'The PDF has hardly any text, and text recognition (OCR) gave more than can be read. Split it and upload the parts.',
    ),
  ocrFailed: () =>
    new DocumentProblem(
      'server_error',
      "The PDF has hardly any text, and the server's program for text recognition (OCR) failed on it; the server's log tells why. Run text recognition on it yourself and upload the new file, or add it again later.",
      { mayPass: false },
    ),
  tooLarge: (bytes: number) =>
    invalid(`The file is larger than ${bytes / megabyte} MB. Split it and upload the parts.`),
  tooMuchText: () => invalid('The file holds more text than can be searched. Split it and upload the parts.'),
  tooManyTokens: (tokens: number) =>
    invalid(
      `The file's text has more than ${tokens} tokens (the server's setting platform.vectorStores.maxFileTokens). Split it and upload the parts.`,
    ),
  tooManyPages: (pages: number) => invalid(`The file has more than ${pages} pages. Split it and upload the parts.`),

  unknownKind: () => unsupported(`The file is no text and of no kind that can be searched. ${supported}`),
  unsupportedKind: (what: string, advice = supported) =>
    unsupported(`The file is ${what}, which cannot be searched. ${advice}`),
  oldOffice: () =>
    unsupported(
      'The file is an old Office document (.doc, .xls, .ppt) or is protected by a password. Save it as .docx, .xlsx, .pptx or PDF without a password.',
    ),
  badEncoding: () => invalid('The file is neither valid UTF-8 nor UTF-16 text. Save it in UTF-8 and upload it again.'),
  notOfKind: (extension: string, kind: string) =>
    invalid(`The file's name ends in .${extension}, but it is no ${kind}. Upload the right file, or name it rightly.`),

  damaged: (kind: string, cause?: unknown) =>
    invalid(`The ${kind} is damaged and cannot be read. Open and save it again, then upload the new file.`, cause),
  encrypted: (kind: string) =>
    invalid(`The ${kind} is protected by a password. Save it without one and upload it again.`),
  unpacksTooLarge: (kind: string) =>
    invalid(
      `The ${kind} unpacks to far more than its size and is not read. Save it again without large embedded content.`,
    ),
  tooManyEntries: (entries: number) =>
    invalid(`The file is an archive with more than ${entries} entries and is not read. Split it and upload the parts.`),
  tooDeep: () => invalid('The markup of the file is nested too deeply or never ends. Save it as plain text.'),

  tooSlow: () => invalid('The file took too long to read. Split it, or save it as plain text or as a simpler PDF.'),
  tooMuchMemory: () =>
    invalid('The file needs too much memory to read. Split it, or save it as plain text or as a simpler PDF.'),
  readerFailed: (cause?: unknown) =>
    new DocumentProblem('server_error', 'The file could not be read because of a fault in the server. Add it again.', {
      cause,
    }),
  unreadable: (cause: unknown) =>
    new DocumentProblem('server_error', "The file's bytes could not be read back from storage. Add it again.", {
      cause,
    }),
  closed: () => new DocumentProblem('server_error', 'The server is shutting down. Add the file again later.'),
}
