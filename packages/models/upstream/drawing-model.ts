// Pictures by a model server, asked for as base64: what it draws is kept and signed here, not there.
import type { Call } from '../call.ts'
import type { DrawAnswer, DrawingModel, DrawnPicture, DrawRequest } from '../draw.ts'
import { textOr } from './choice.ts'
import { isObject } from './error-body.ts'
import type { FormPart } from './form.ts'
import { senseless } from './problems.ts'
import type { Server } from './server.ts'

export class UpstreamDrawing implements DrawingModel {
  readonly #server: Server
  readonly #model: string

  constructor(server: Server, model: string) {
    this.#server = server
    this.#model = model
  }

  async draw(request: DrawRequest, call: Call): Promise<DrawAnswer> {
    const fields = this.#fields(request)
    const { json } =
      request.kind === 'generate'
        ? await this.#server.ask('/images/generations', fields, call)
        : await this.#server.askForm(pathOf(request), [...textParts(fields), ...fileParts(request)], call)
    if (!isObject(json) || !Array.isArray(json.data)) throw senseless('sent an answer without pictures')
    if (json.data.length === 0 || json.data.length > request.count) throw senseless('sent another number of pictures')
    return { model: textOr(json.model, this.#model), pictures: json.data.map(readPicture) }
  }

  #fields(request: DrawRequest): Record<string, string | number> {
    const { size, count: n, user } = request
    const common = { model: this.#model, n, size: `${size.width}x${size.height}`, response_format: 'b64_json' }
    const named = user === undefined ? common : { ...common, user }
    if (request.kind === 'vary') return named
    const { prompt } = request
    if (request.kind === 'edit') return { ...named, prompt }
    const { quality, style } = request
    return { ...named, prompt, ...(quality !== undefined && { quality }), ...(style !== undefined && { style }) }
  }
}

const pathOf = ({ kind }: DrawRequest): string => (kind === 'edit' ? '/images/edits' : '/images/variations')

const textParts = (fields: Record<string, string | number>): FormPart[] =>
  Object.entries(fields).map(([name, value]) => ({ name, value: String(value) }))

function fileParts(request: DrawRequest): FormPart[] {
  if (request.kind === 'generate') return []
  const file = (name: string, bytes: Uint8Array): FormPart => ({
    name,
    filename: `${name}.png`,
    type: 'image/png',
    bytes,
  })
  const image = file('image', request.image)
  return request.kind === 'edit' && request.mask !== undefined ? [image, file('mask', request.mask)] : [image]
}

function readPicture(given: unknown): DrawnPicture {
  if (!isObject(given) || typeof given.b64_json !== 'string') {
    throw senseless('sent a picture that is not in base64, as it was asked for')
  }
  const png = Buffer.from(given.b64_json, 'base64')
  if (png.length === 0) throw senseless('sent an empty picture')
  return { png, ...(typeof given.revised_prompt === 'string' && { revisedPrompt: given.revised_prompt }) }
}
