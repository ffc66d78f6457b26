import { Readable } from 'node:stream'
import type { DocumentSource } from '@atoll/documents/documents'
import { expect, it } from 'vitest'
import type { ProjectCaller } from '../callers.ts'
import { InputFiles } from './input-files.ts'

const megabyte = 1024 ** 2
const caller = { projectId: 'proj_1' } as ProjectCaller

/** Files of so many megabytes of text each, and how often one was read. */
function reading(megabytes: number, bytes = 10) {
  const read: string[] = []
  const files = {
    content: async (_: unknown, id: string) =>
      ({ file: { filename: id, bytes }, read: () => Readable.from([]) }) as never,
  }
  const documents = {
    async *chunks({ filename }: DocumentSource) {
      read.push(filename)
      for (let ordinal = 0; ordinal < megabytes; ordinal++) {
        yield { ordinal, heading: '', text: 'x'.repeat(megabyte), tokens: 1 }
      }
    },
  }
  return { read, inputFiles: new InputFiles({ files, documents }) }
}

it('the texts of all files of a request are bounded, and so is the size of each file', async () => {
  const readFile = reading(2).inputFiles.readFor(caller)
  expect(await readFile({ file_id: 'one' })).toContain('xxx')
  await readFile({ file_id: 'two' })
  await expect(readFile({ file_id: 'three' })).rejects.toMatchObject({ message: expect.stringContaining('4194304') })
  await expect(reading(5).inputFiles.readFor(caller)({ file_id: 'one' })).rejects.toThrow('file_search')
  const large = reading(1, 33 * megabyte).inputFiles.readFor(caller)
  await expect(large({ file_id: 'one' })).rejects.toThrow('larger than 32 MB')
})

it('what was read last is kept, and not read again', async () => {
  const { read, inputFiles } = reading(3)
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  for (const id of ids) await inputFiles.readFor(caller)({ file_id: id })
  for (const id of ids.toReversed()) await inputFiles.readFor(caller)({ file_id: id })
  expect(read).toEqual([...ids, 'a'])
})
