// What runs apart from the machine ends when its caller is asked to end.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { describe, expect, it } from 'vitest'
import { runIsolated } from './isolated.ts'

const lacks = process.getuid?.() === 0 ? lacking('unshare') : 'root'
const text = `
  process.stdin.resume().once('end', () => process.stdout.write('checked', () => process.exit(3)))
  setInterval(() => {}, 1_000)
  process.stdout.write('begun ')
`

describe.skipIf(lacks !== '')(`a program in namespaces of its own (${lacks || 'nothing lacks'})`, () => {
  const interrupted = async (endsByItself: boolean) => {
    const program = join(await tempDir(), 'program.mjs')
    await writeFile(program, text)
    let heard = ''
    const hear = (said: string): void => {
      if (heard === '') process.emit('SIGINT')
      heard += said
    }
    return { code: await runIsolated(program, [], { hear, endsByItself }), heard }
  }

  it('comes to an end of its own where it can', async () => {
    expect(await interrupted(true)).toEqual({ code: 3, heard: 'begun checked' })
  })

  it('is killed where it cannot', async () => {
    expect(await interrupted(false)).toEqual({ code: 1, heard: 'begun ' })
  })
})
