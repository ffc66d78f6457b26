import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { beforeEach, describe, expect, it } from 'vitest'
import { findInLayers, readInLayers } from './layered-files.ts'

describe('files of layers', () => {
  let top: string
  let middle: string
  let bottom: string
  let layers: string[]

  const write = (layer: string, path: string, text: string): void => {
    mkdirSync(dirname(join(layer, path)), { recursive: true })
    writeFileSync(join(layer, path), text)
  }

  beforeEach(async () => {
    const folder = await tempDir()
    ;[top, middle, bottom] = ['top', 'middle', 'bottom'].map((name) => join(folder, name)) as [string, string, string]
    layers = [top, middle, bottom]
    for (const layer of layers) mkdirSync(layer)
    writeFileSync(join(folder, 'secret'), 'of the host')
  })

  it('are the topmost ones', async () => {
    write(bottom, 'etc/passwd', 'bottom')
    write(middle, 'etc/passwd', 'middle')
    mkdirSync(join(top, 'etc'))
    expect(await readInLayers(layers, '/etc/passwd', 100)).toBe('middle')
    expect(await findInLayers(layers, '/etc')).toEqual({
      kind: 'folder',
      path: '/etc',
      folders: layers.map((layer) => join(layer, 'etc')),
    })
  })

  it('are gone below a whiteout, and below a folder that covers all', async () => {
    write(bottom, 'a/file', 'x')
    mkdirSync(join(top, 'a'))
    execFileSync('mknod', [join(top, 'a/file'), 'c', '0', '0'])
    expect(await readInLayers(layers, '/a/file', 100)).toBeUndefined()
    write(bottom, 'b/file', 'x')
    mkdirSync(join(top, 'b'))
    execFileSync('setfattr', ['-n', 'trusted.overlay.opaque', '-v', 'y', join(top, 'b')])
    expect(await readInLayers(layers, '/b/file', 100)).toBeUndefined()
  })

  it.each([
    ['absolute', '/../../secret'],
    ['relative', '../../../secret'],
    ['to themselves', 'passwd'],
  ])('are never outside, though links lead there: %s', async (_, target) => {
    mkdirSync(join(top, 'etc'))
    symlinkSync(target, join(top, 'etc/passwd'))
    expect(await readInLayers(layers, '/etc/passwd', 100)).toBeUndefined()
  })

  it('are found through links as seen from inside, across layers', async () => {
    mkdirSync(join(top, 'etc'))
    symlinkSync('/usr/lib/passwd', join(top, 'etc/passwd'))
    write(bottom, 'usr/lib/passwd', 'inside')
    expect(await readInLayers(layers, '/etc/passwd', 100)).toBe('inside')
  })

  it('are read only when they are plain and not too large', async () => {
    write(top, 'large', 'x'.repeat(101))
    execFileSync('mkfifo', [join(top, 'pipe')])
    expect(await readInLayers(layers, '/large', 100)).toBeUndefined()
    expect(await readInLayers(layers, '/pipe', 100)).toBeUndefined()
  })
})
