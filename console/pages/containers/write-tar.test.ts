import { expect, it } from 'vitest'
import { readTar } from './read-tar.ts'
import { packTar } from './write-tar.ts'

const deep = `${'folder/'.repeat(16)}file.txt`

it('packs files of any length, with long paths too', async () => {
  const archive = packTar([
    { path: 'Dockerfile', content: new Blob(['FROM busybox\n']) },
    { path: deep, content: new Blob(['x'.repeat(1024)]) },
    { path: 'empty', content: new Blob([]) },
  ])
  const { entries } = await readTar(archive.stream(), () => true)
  expect(entries.map(({ path, kind, bytes }) => [path, kind, bytes])).toEqual([
    ['Dockerfile', 'file', 13],
    [deep, 'file', 1024],
    ['empty', 'file', 0],
  ])
  expect(await archive.slice(512, 525).text()).toBe('FROM busybox\n')
})

it('refuses a path that no archive can hold', () => {
  expect(() => packTar([{ path: 'a'.repeat(101), content: new Blob([]) }])).toThrow('too long')
})
