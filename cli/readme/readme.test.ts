// Follows the README from its first block to its last, as somebody does who has just cloned it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadAtollConfig } from '../config.ts'
import { root } from '../places.ts'
import { createProgram } from '../program.ts'
import { findProgram } from '../programs/search.ts'
import { type Block, blocksIn, isStart, titleOf } from './blocks.ts'
import { ReadersMachine } from './readers-machine.ts'

/** Blocks that no test can run, by a line of theirs. Their commands and options are looked up instead. */
const unrun: Record<string, string> = {
  './atoll models pull': 'half a gigabyte from a model hub',
  'npm install': 'the machine of this test has no network; example-scripts.test.ts runs the same program',
  './atoll tune': 'minutes of training; tune.test.ts runs both commands with a smaller model',
  './atoll invite accept TOKEN': 'the token is the one that was shown; org.test.ts runs it',
  'docker run': 'a registry is out of reach; docker-tour.test.ts runs containers',
  './atoll cluster upload': 'a module of the reader; cluster.test.ts runs these commands with one',
  './atoll hooks tail': 'goes on until Ctrl-C, and wants a mapping of the reader; hooks.test.ts runs them',
  './atoll service install': 'needs systemd; service.test.ts reads what it writes',
}

/** What a reader sees, where more can be said than that it worked. */
const outcomes: Record<string, RegExp> = {
  'curl -s "$OPENAI_BASE_URL/models"': /"object":"list"/,
  'client.models.list': /^gpt-4o-mini$/m,
  'hello.jsonl': /^\{"hello": "atoll"\}$/m,
  'chat.completions.create': /^atoll-chat \S/m,
  'examples/chat.mjs': /^atoll-chat says: /m,
  './atoll batch': /"custom_id":\s*"1"/,
  './atoll audit verify': /intact|no entry|as it was written/i,
  'hooks/agent': /"(runId|id|status|ok)"/,
  'docker info': /Server Version|Containers:/,
  'redis-cli': /^OK$/m,
  './atoll status': /platform +http:\/\/127\.0\.0\.1:8080 +ready/,
}

const found = <Value>(table: Record<string, Value>, { code }: Block): Value[] =>
  Object.entries(table).flatMap(([words, value]) => (code.includes(words) ? [value] : []))

const blocks = blocksIn(readFileSync(join(root, 'README.md'), 'utf8')).filter(({ language }) => language !== 'text')
const needed = ['unshare', 'nsenter', 'ip', 'mount', 'curl', 'redis-server', 'redis-cli', 'crun', 'nft', 'cc', 'docker']
const programs = needed.filter((name) => findProgram(name) === undefined)
const lacks = process.getuid?.() === 0 ? programs : ['root', ...programs]

describe.skipIf(lacks.length > 0)(`the README${lacks.length > 0 ? `, skipped for lack of ${lacks}` : ''}`, () => {
  let machine: ReadersMachine
  beforeAll(async () => {
    machine = await ReadersMachine.open()
  }, 60_000)
  afterAll(() => machine?.close())

  for (const block of blocks) {
    const [reason] = found(unrun, block)
    if (reason !== undefined) {
      it(`${titleOf(block)} (not run: ${reason}) names commands and options that exist`, () => {
        for (const line of block.code.split('\n')) checkCommand(line)
      })
    } else it(titleOf(block), () => follow(machine, block), 300_000)
  }
})

async function follow(machine: ReadersMachine, block: Block): Promise<void> {
  if (block.language === 'yaml') return checkSettings(block.code)
  if (isStart(block)) {
    expect(await machine.start(block.code.trim())).toContain('Atoll is ready.')
    return
  }
  if (block.code.includes('up --detach')) await machine.stop()
  const isScript = block.language === 'javascript'
  const ended = isScript ? await machine.runFile(`block-${block.line}.mjs`, block.code) : await machine.run(block.code)
  expect(ended, `${ended.stdout}\n${ended.stderr}`).toMatchObject({ code: 0 })
  expect(ended.stdout).toMatch(/\S/)
  expect(ended.stdout).not.toMatch(/"error":\s*[{"]/)
  for (const outcome of found(outcomes, block)) expect(ended.stdout).toMatch(outcome)
}

async function checkSettings(text: string): Promise<void> {
  const file = join(await tempDir(), 'atoll.yaml')
  writeFileSync(file, text)
  process.env.BIG_KEY ??= 'named by the block'
  await loadAtollConfig({ file, env: {} })
}

/** The command is there, and takes these options. */
function checkCommand(line: string): void {
  const [, given] = /^(?:sudo )?\.\/atoll ([^#]*)/.exec(line) ?? []
  if (given === undefined) return
  let command: Command = createProgram()
  for (const word of given.trim().split(/\s+/)) {
    if (word.startsWith('-')) {
      expect(
        command.options.flatMap(({ long, short }) => [long, short]),
        line,
      ).toContain(word)
      continue
    }
    command = command.commands.find((each) => each.name() === word) ?? command
  }
  expect(command.name(), line).not.toBe('atoll')
}
