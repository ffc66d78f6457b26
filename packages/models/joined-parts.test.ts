import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import type { LlamaSettings } from './builtin/llama/settings.ts'
import { ownChatModel } from './chat-model.ts'
import { joinedParts } from './joined-parts.ts'

const content = randomBytes(100_000)

async function inParts() {
  const folder = await tempDir()
  const cuts = [content.subarray(0, 40_000), content.subarray(40_000, 80_000), content.subarray(80_000)]
  const parts = cuts.map((_, index) => `model.gguf.${index + 1}`)
  for (const [index, cut] of cuts.entries()) writeFileSync(join(folder, parts[index] as string), cut)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const known = { file: 'model.gguf', bytes: content.length, sha256, parts }
  writeFileSync(join(folder, 'model.json'), JSON.stringify(known))
  return { folder, known }
}

const own = async (folder: string): Promise<LlamaSettings> =>
  (await ownChatModel(pathToFileURL(`${folder}/`))) as LlamaSettings

it('joins the parts of the built-in chat model once, also when asked twice at the same time', async () => {
  const { folder, known } = await inParts()
  const [first, second] = await Promise.all([own(folder), own(folder)])
  expect(first).toMatchObject({ file: join(folder, 'model.gguf'), sha256: known.sha256 })
  expect(second).toEqual(first)
  expect(readFileSync(first.file).equals(content)).toBe(true)
  for (const part of known.parts) rmSync(join(folder, part))
  expect(await own(folder)).toEqual(first)
})

it('joins again what a crash left half written', async () => {
  const { folder } = await inParts()
  const { file } = await own(folder)
  truncateSync(file, 50_000)
  await own(folder)
  expect(readFileSync(file).equals(content)).toBe(true)
})

it('does not serve a model of which a part is damaged or missing', async () => {
  const { folder, known } = await inParts()
  writeFileSync(join(folder, 'model.gguf.2'), content.subarray(0, 40_000))
  await expect(joinedParts(folder, known)).rejects.toThrow('model.gguf: a part is damaged')
  rmSync(join(folder, 'model.gguf.3'))
  await expect(own(folder)).rejects.toThrow('The built-in chat model is missing from this installation')
})

it('joins into another folder where its own cannot be written to', async () => {
  const { folder, known } = await inParts()
  const elsewhere = await tempDir()
  const parts = known.parts.map((part) => relative('/sys', join(folder, part)))
  const path = await joinedParts('/sys', { ...known, parts }, elsewhere)
  expect(path).toBe(join(elsewhere, `${known.sha256.slice(0, 16)}-model.gguf`))
  expect(readFileSync(path).equals(content)).toBe(true)
})
