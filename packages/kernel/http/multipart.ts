// Forms with one file. The file goes to the blob store as it arrives; whatever goes wrong leaves nothing there.
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import type { BodySource } from './body-source.ts'
import { parseContentType } from './content-type.ts'
import type { ErrorCatalogue } from './error.ts'
import { type FormFields, maxFieldBytes, maxFields } from './form-fields.ts'
import { type FormContext, FormReader, type FormRules } from './form-reader.ts'
import type { IncomingFile } from './route.ts'

export interface Form {
  fields: FormFields
  file: IncomingFile
}

const maxPartHeaderBytes = 16 * 1024
/** All a form may hold beside its file. */
const maxOverheadBytes = (maxFields + 1) * (maxFieldBytes + maxPartHeaderBytes)

export async function readForm(
  { headers, openBody }: BodySource,
  rules: FormRules,
  context: FormContext,
): Promise<Form> {
  const { errors } = context
  const maxBytes = rules.maxFileBytes + maxOverheadBytes
  const contentType = headers['content-type'] ?? ''
  if (parseContentType(contentType).mediaType !== 'multipart/form-data') {
    throw errors.unsupportedContentType(contentType, 'multipart/form-data')
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw errors.fileTooLarge(rules.file, rules.maxFileBytes)
  const boundary = boundaryOf(contentType)
  if (boundary === '') throw errors.invalidMultipart('The content type names no boundary.')
  const reader = new FormReader(createParser(contentType, errors), boundary, rules, context)
  try {
    await reader.read(openBody(), maxBytes)
    return { fields: reader.fields, file: await reader.file() }
  } catch (error) {
    await reader.discard(error)
    throw error
  }
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(contentType) ?? []
  return quoted ?? plain ?? ''
}

function createParser(contentType: string, errors: ErrorCatalogue): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true, // `safeFilename` strips paths; it knows both kinds of slashes.
      isPartAFile: (_name, _type, filename) => filename !== undefined,
      limits: { fields: maxFields, fieldSize: maxFieldBytes, parts: maxFields + 2, headerSize: maxPartHeaderBytes },
    })
  } catch {
    throw errors.invalidMultipart('The content type cannot be understood.')
  }
}
