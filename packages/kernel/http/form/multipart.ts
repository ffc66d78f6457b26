// Forms with files. They go to the blob store as they arrive; whatever goes wrong leaves nothing there.
import { BodyTooLarge } from '../body/body-bytes.ts'
import type { BodySource } from '../body/body-source.ts'
import { refuseEncoded } from '../body/content-encoding.ts'
import { parseContentType } from '../body/content-type.ts'
import type { IncomingFile } from '../route.ts'
import { type FormFields, maxFieldBytes, maxFields } from './form-fields.ts'
import { FormInvalid } from './form-invalid.ts'
import { maxPartHeaderBytes } from './form-parser.ts'
import { type FormContext, FormReader, type FormRules } from './form-reader.ts'

export interface Form {
  fields: FormFields
  file: IncomingFile
  optionalFiles: Record<string, IncomingFile>
}

/** All a form may hold beside its files. */
const maxOverheadBytes = (maxFields + 1) * (maxFieldBytes + maxPartHeaderBytes)

export async function readForm(source: BodySource, rules: FormRules, context: FormContext): Promise<Form> {
  try {
    return await receive(source, rules, context)
  } catch (error) {
    const { errors } = context
    if (error instanceof FormInvalid) throw errors.invalidMultipart(error.message)
    throw error instanceof BodyTooLarge ? errors.fileTooLarge(rules.file, rules.maxFileBytes) : error
  }
}

async function receive({ headers, openBody }: BodySource, rules: FormRules, context: FormContext): Promise<Form> {
  const { errors } = context
  const maxBytes = rules.maxFileBytes * (1 + rules.optionalFiles.length) + maxOverheadBytes
  const contentType = headers['content-type'] ?? ''
  if (parseContentType(contentType).mediaType !== 'multipart/form-data') {
    throw errors.unsupportedContentType(contentType, 'multipart/form-data')
  }
  refuseEncoded(headers, errors)
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw new BodyTooLarge(maxBytes)
  const reader = new FormReader(boundaryOf(contentType), rules, context)
  try {
    await reader.read(openBody(), maxBytes)
    const file = await reader.file()
    return { fields: reader.fields, file, optionalFiles: await reader.optionalFiles() }
  } catch (error) {
    await reader.discard(error)
    throw error
  }
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(contentType) ?? []
  return quoted ?? plain ?? ''
}
