// Draws what is asked for.
import sharp from 'sharp'
import type { DrawnPicture } from '../../draw.ts'
import { Sprites } from './art/sprites.ts'
import { drawEdit } from './edit.ts'
import { addNote, readNote } from './pixels/png-text.ts'
import type { IllustratorQuestion } from './protocol.ts'
import { type DrawnScene, drawScene } from './scene/draw-scene.ts'
import { varyPixels } from './vary.ts'
import { understand } from './words/understand.ts'

sharp.cache(false)
sharp.concurrency(1)

const noteOfPrompt = 'Description'
const noteOfProgram = 'Software'
const programName = 'Atoll illustrator'
/** What a prompt may have. */
const maxPromptLetters = 4_000

type Generation = Extract<IllustratorQuestion, { kind: 'generate' }>
type Variation = Extract<IllustratorQuestion, { kind: 'vary' }>

export class Illustrator {
  readonly #sprites = new Sprites()

  async draw(question: IllustratorQuestion): Promise<DrawnPicture> {
    if (question.kind === 'generate') return this.#generate(question)
    if (question.kind === 'vary') return this.#vary(question)
    const { prompt, number } = question
    const description = await understand(prompt)
    return finished(
      await drawEdit(description, { ...question, seed: `${prompt}\n${number}` }, this.#sprites),
      undefined,
    )
  }

  async #generate(
    { prompt, number, size, quality = 'standard', style = 'natural' }: Generation,
    variation = '',
  ): Promise<DrawnPicture> {
    const seed = `${prompt}\n${number}${variation}`
    const description = await understand(prompt)
    return finished(await drawScene(description, { size, quality, style, seed }, this.#sprites), prompt)
  }

  async #vary({ image, size, number }: Variation): Promise<DrawnPicture> {
    const bytes = Buffer.from(image.buffer, image.byteOffset, image.byteLength)
    const prompt = readNote(bytes, noteOfProgram) === programName ? readNote(bytes, noteOfPrompt) : undefined
    if (prompt === undefined || prompt === '' || prompt.length > maxPromptLetters)
      return varyPixels(image, size, number)
    const again = {
      kind: 'generate',
      prompt,
      size,
      number: number + 1,
      style: number % 2 === 0 ? 'vivid' : 'natural',
      quality: 'standard',
    } as const
    const drawn = await this.#generate(again, '\nvaried')
    return { ...drawn, revisedPrompt: `Drawn anew from the words of the uploaded picture. ${drawn.revisedPrompt}` }
  }
}

async function finished({ canvas, told }: DrawnScene, prompt: string | undefined): Promise<DrawnPicture> {
  const png = addNote(await canvas.png(), noteOfProgram, programName)
  return { png: prompt === undefined ? png : addNote(png, noteOfPrompt, prompt), revisedPrompt: told }
}
