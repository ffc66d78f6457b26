// Images of messages as models take them.
import { extname } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { HttpError } from '@atoll/kernel/http/error'
import type { ImagePart } from '@atoll/models/chat'
import type { ProjectCaller } from '../callers.ts'
import { runFailures } from '../errors/runs.ts'
import type { Files } from '../resources/files/service.ts'
import { LoopFailure } from './failure.ts'

const maxImageBytes = 20 * 1024 * 1024

const types: Record<string, string> = {
  '.gif': 'image/gif',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.png': 'image/png',
  '.webp': 'image/webp',
}

type Detail = ImagePart['image_url']['detail']

/** A model has no access to our files: the image travels within the request. */
export async function imageOfFile(
  files: Pick<Files, 'content'>,
  caller: ProjectCaller,
  fileId: string,
  detail: Detail,
): Promise<ImagePart> {
  const { file, read } = await files.content(caller, fileId).catch((error: unknown) => {
    if (error instanceof HttpError) throw new LoopFailure('invalid_prompt', runFailures.badImage(fileId))
    throw error
  })
  if (file.bytes > maxImageBytes) throw new LoopFailure('invalid_prompt', runFailures.badImage(fileId))
  const type = types[extname(file.filename).toLowerCase()] ?? 'image/png'
  const data = (await buffer(read())).toString('base64')
  return imageOfUrl(`data:${type};base64,${data}`, detail)
}

export const imageOfUrl = (url: string, detail: Detail): ImagePart => ({
  type: 'image_url',
  image_url: { url, ...(detail === undefined ? {} : { detail }) },
})
