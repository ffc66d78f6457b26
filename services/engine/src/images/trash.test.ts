// Containers and images are removed by many at once.
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { filesProgram } from '../testing/native-programs.ts'
import { Content } from './content.ts'
import { FilesProgram } from './files-program.ts'

const rounds = process.env.ATOLL_TEST_LONG === '1' ? 100 : 4

it('goes away whole while others empty the trash', async () => {
  const content = new Content(await tempDir(), new FilesProgram(await filesProgram()))
  await content.prepare()
  const place = await tempDir()
  const remove = async (name: string): Promise<void> => {
    const folder = join(place, name)
    await mkdir(join(folder, 'etc'), { recursive: true })
    await content.discard(folder)
    await content.emptyTrash()
  }
  for (let round = 0; round < rounds; round++) {
    await Promise.all(Array.from({ length: 16 }, (_, index) => remove(`${round}-${index}`)))
  }
  expect(await readdir(place)).toEqual([])
  expect(await readdir(join(content.folder, 'staging'))).toEqual([])
})

it('is out of the way at once and gone soon, where nobody waits for it', async () => {
  const content = new Content(await tempDir(), new FilesProgram(await filesProgram()))
  await content.prepare()
  const folders = await Promise.all(['1', '2', '3'].map(() => content.stage()))
  for (const folder of folders) {
    await mkdir(join(folder, 'deep/in/it'), { recursive: true })
    await content.discardSlowly(folder)
    await expect(readdir(folder)).rejects.toThrow('ENOENT')
  }
  await expect.poll(() => readdir(join(content.folder, 'staging'))).toEqual([])
})
