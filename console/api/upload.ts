// Brings a file to the server: a small one in one piece, a large one part by part, so that it can go on after a failure.
import { sendForm } from './send-form.ts'
import type { FileObject } from './types.ts'
import { type Upload, uploadInParts } from './upload-in-parts.ts'

const largeBytes = 32 * 1024 ** 2

export function upload(wanted: Upload): Promise<FileObject> {
  const { file, purpose, project, onProgress } = wanted
  if (file.size > largeBytes) return uploadInParts(wanted)
  const form = new FormData()
  form.append('purpose', purpose)
  form.append('file', file)
  return sendForm<FileObject>({ path: '/v1/files', form, project, onProgress })
}
