// Images loaded through the API, and what tests look at afterwards.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ContainerRecord } from '../../containers/record.ts'
import type { ImagesServer } from './images-server.ts'
import { dockerArchive, tarOf } from './sample-tars.ts'

export const layer = (name: string, data = name): Buffer => tarOf([{ name, data }])

export async function load(
  server: ImagesServer,
  names: string[],
  config = {},
  layers = [layer('hello')],
): Promise<string> {
  const { id, tar } = dockerArchive(layers, { names, config })
  const answer = await server.call('POST', '/images/load?quiet=1', tar)
  expect(answer.status, answer.text).toBe(200)
  return id
}

/** Whatever is on the disk of images. */
export async function onDisk(server: ImagesServer): Promise<string[]> {
  const folders = ['blobs/sha256', 'layers', 'staging', 'partial']
  const lists = await Promise.all(folders.map((name) => readdir(join(server.folder, name))))
  return lists.flat().filter((name) => name !== 'init')
}

export const container = (id: string, imageId: string, status: string): ContainerRecord =>
  ({ id, imageId, name: id, state: { status, pid: 0 } }) as unknown as ContainerRecord

export const filter = (value: object): string => `filters=${encodeURIComponent(JSON.stringify(value))}`
export const lines = (text: string) =>
  text
    .trim()
    .split('\r\n')
    .map((line) => JSON.parse(line))
