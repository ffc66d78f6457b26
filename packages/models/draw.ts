// The drawing port: pictures of what words describe.
import type { Call } from './call.ts'

export interface PictureSize {
  width: number
  height: number
}

interface DrawCommon {
  size: PictureSize
  /** How many. */
  count: number
  user?: string | undefined
}

export type PictureStyle = 'vivid' | 'natural'
export type PictureQuality = 'standard' | 'hd'

export type DrawRequest =
  | (DrawCommon & {
      kind: 'generate'
      prompt: string
      /** Undefined where the model's callers choose none. */
      quality: PictureQuality | undefined
      style: PictureStyle | undefined
    })
  /** Only what the mask leaves open is drawn anew; without a mask, what the picture itself leaves open. Encoded PNG. */
  | (DrawCommon & { kind: 'edit'; prompt: string; image: Uint8Array; mask: Uint8Array | undefined })
  | (DrawCommon & { kind: 'vary'; image: Uint8Array })

export interface DrawnPicture {
  png: Uint8Array
  /** What was really drawn, where it is not the prompt's own words. */
  revisedPrompt?: string | undefined
}

export interface DrawAnswer {
  /** What really drew. */
  model: string
  pictures: DrawnPicture[]
}

export interface DrawingModel {
  draw(request: DrawRequest, call: Call): Promise<DrawAnswer>
}
