// Pictures: drawn from words, changed where a mask is open, varied.
import { buffer } from 'node:stream/consumers'
import type { BlobStore } from '@atoll/kernel/blobs/blobs'
import { type Clock, unixSeconds } from '@atoll/kernel/clock/clock'
import type { IncomingFile } from '@atoll/kernel/http/route'
import type { DrawnPicture, DrawRequest } from '@atoll/models/draw'
import type { ProjectCaller } from '../../callers.ts'
import { imageErrors } from '../../errors/images.ts'
import type { RunningInference } from '../../inference/create-inference.ts'
import type { UsedTokens } from '../../inference/inference.ts'
import { answerModelProblem } from '../../inference/problem-answer.ts'
import type { KeptImages } from './kept-images.ts'
import { checkChange, checkGeneration, defaultStyle } from './model-rules.ts'
import { readPngHead } from './png-head.ts'
import { checkPrompt } from './prompt-check.ts'
import type { CreateImage, EditImageFields, FormFields, ImageSize, ImagesResponse } from './schema.ts'

interface Parts {
  inference: RunningInference
  kept: KeptImages
  blobs: BlobStore
  clock: Clock
}

type Source = NonNullable<UsedTokens['images']>['source']

/** Who asks, and how they reach this server. */
export interface ImageCall {
  caller: ProjectCaller
  /** `https://host:port`: what URLs of images begin with. */
  origin: string
  signal: AbortSignal
}

export interface CreatedImages {
  images: ImagesResponse
  /** Where the project stands with its limits. */
  headers: Record<string, string>
}

interface Wanted extends Pick<FormFields, 'model' | 'n' | 'response_format' | 'size'> {
  source: Source
  prompt?: string
}

export class Images {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  generate(request: CreateImage, call: ImageCall): Promise<CreatedImages> {
    checkGeneration(request)
    const { prompt, n: count, quality, style, user } = request
    const size = pixels(request.size)
    const looks = { quality: quality ?? undefined, style: style ?? defaultStyle(request.model) }
    const drawing = { kind: 'generate', prompt, count, size, user: user ?? undefined, ...looks } as const
    return this.#draw({ ...request, source: 'image.generation' }, call, async () => drawing)
  }

  edit(fields: EditImageFields, files: { image: IncomingFile; mask?: IncomingFile | undefined }, call: ImageCall) {
    checkChange(fields, 'edits', fields.prompt)
    return this.#draw({ ...fields, source: 'image.edit' }, call, async () => {
      const image = await this.#read(files.image)
      const mask = files.mask && (await this.#read(files.mask))
      const { side, hasAlpha } = readPngHead(image, 'image')
      if (mask === undefined && !hasAlpha) throw imageErrors.noTransparency()
      if (mask !== undefined) {
        const head = readPngHead(mask, 'mask')
        if (head.side !== side) throw imageErrors.otherSizeThanImage()
        if (!head.hasAlpha) throw imageErrors.maskWithoutAlpha()
      }
      const { prompt, n: count, user } = fields
      return { kind: 'edit', prompt, count, size: pixels(fields.size), user, image, mask }
    })
  }

  vary(fields: FormFields, file: IncomingFile, call: ImageCall): Promise<CreatedImages> {
    checkChange(fields, 'variations')
    return this.#draw({ ...fields, source: 'image.variation' }, call, async () => {
      const image = await this.#read(file)
      readPngHead(image, 'image')
      return { kind: 'vary', count: fields.n, size: pixels(fields.size), user: fields.user, image }
    })
  }

  /** What is wrong with the pictures of a request is told before anything is taken from the limits. */
  async #draw(wanted: Wanted, { caller, origin, signal }: ImageCall, prepare: () => Promise<DrawRequest>) {
    const { inference, clock } = this.#parts
    const model = await inference.resolve(caller, wanted.model, 'drawing')
    const request = await prepare()
    const metered = await inference.meter(caller, model, { operation: 'images', tokens: 0, images: wanted.n })
    const call = { signal, turn: caller.projectId }
    try {
      if (wanted.prompt !== undefined) await checkPrompt(inference.runtimes, wanted.prompt, call)
      const answer = await model.port.draw(request, call)
      const created = unixSeconds(clock)
      const data = await this.#present(answer.pictures, wanted, caller, origin)
      const images = { count: answer.pictures.length, size: wanted.size, source: wanted.source }
      metered.finish({ model: answer.model, input: 0, cachedInput: 0, output: 0, images })
      return { images: { created, data }, headers: metered.headers }
    } catch (error) {
      metered.abandon()
      return answerModelProblem(error)
    }
  }

  async #present(pictures: readonly DrawnPicture[], wanted: Wanted, caller: ProjectCaller, origin: string) {
    const data: ImagesResponse['data'] = []
    for (const { png, revisedPrompt } of pictures) {
      const revised = revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }
      if (wanted.response_format === 'b64_json') {
        data.push({ b64_json: Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString('base64'), ...revised })
      } else data.push({ url: origin + (await this.#parts.kept.keep(caller.organizationId, png)), ...revised })
    }
    return data
  }

  /** An upload is needed no longer than it takes to read it. */
  async #read({ blob }: IncomingFile): Promise<Buffer> {
    const { blobs } = this.#parts
    const bytes = await buffer(await blobs.read(blob.key))
    await blobs.remove(blob.key)
    return bytes
  }
}

function pixels(size: ImageSize): { width: number; height: number } {
  const [width = 0, height = 0] = size.split('x').map(Number)
  return { width, height }
}
