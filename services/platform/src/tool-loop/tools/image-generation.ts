// The `image_generation` tool: a picture of what the model asks for, by the models that draw.
import { HttpError } from '@atoll/kernel/http/error'
import type { FunctionTool } from '@atoll/models/chat'
import type { ImageSize } from '../../resources/images/schema.ts'
import type { Images } from '../../resources/images/service.ts'
import type { HostedCall, HostedTool, ToolContext, ToolOutcome } from './hosted-tool.ts'

const maxPromptLetters = 1000

export interface ImageSettings {
  model: string
  size: ImageSize
  quality: 'standard' | 'hd' | undefined
}

/** For one response: it was told how pictures are to look. */
export class ImageGeneration implements HostedTool {
  readonly type = 'image_generation'
  readonly #images: Pick<Images, 'generate'>
  readonly #settings: ImageSettings

  constructor(images: Pick<Images, 'generate'>, settings: ImageSettings) {
    this.#images = images
    this.#settings = settings
  }

  async definition(): Promise<FunctionTool> {
    return {
      name: 'image_generation',
      description: 'Draw a picture for the user',
      parameters: {
        type: 'object',
        properties: { prompt: { type: 'string', description: 'What the picture shows' } },
        required: ['prompt'],
      },
    }
  }

  async call(context: ToolContext, args: string): Promise<ToolOutcome> {
    const prompt = promptOf(args)
    if (prompt === '') return outcome(context, null, 'No picture was drawn: tell what to draw, as {"prompt": "..."}.')
    const { caller, signal } = context
    try {
      const request = { ...this.#settings, prompt, n: 1, response_format: 'b64_json' as const }
      const { images } = await this.#images.generate(request, { caller, origin: '', signal })
      const [drawn] = images.data
      const revised = drawn?.revised_prompt ?? prompt
      return outcome(
        context,
        drawn?.b64_json ?? null,
        `The picture was drawn and shown to the user: ${revised}`,
        revised,
      )
    } catch (error) {
      signal.throwIfAborted()
      // What the caller or the model has done wrong, the model can tell; limits and faults end the work.
      if (!(error instanceof HttpError) || error.status !== 400) throw error
      return outcome(context, null, `No picture was drawn: ${error.message}`)
    }
  }
}

function promptOf(args: string): string {
  try {
    const { prompt } = JSON.parse(args) as { prompt?: unknown }
    return typeof prompt === 'string' ? prompt.trim().slice(0, maxPromptLetters).toWellFormed() : ''
  } catch {
    return ''
  }
}

function outcome({ callId }: ToolContext, result: string | null, output: string, revised?: string): ToolOutcome {
  const call: HostedCall = {
    id: callId,
    type: 'image_generation',
    image_generation: { result, revised_prompt: revised },
  }
  return { call, output, passages: [], files: [], keepIn: async () => undefined }
}
