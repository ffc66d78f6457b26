// Somebody who asks a service by its address all the time, and writes down what came of it.
import { setTimeout as pause } from 'node:timers/promises'
import type { TestNode } from './start-nodes.ts'

export interface Asker {
  node: TestNode
  container: string
}

/** Each question is a line: when it was asked, by the machine's own clock, and whether an answer came. */
export const askingCommand = (address: string): string[] => [
  ...['sh', '-c'],
  `while true; do at=$(date +%s); timeout 3 wget -qO- http://${address}/ > /dev/null 2>&1; echo $at $?; sleep 0.1; done`,
]

const givenUpMs = 60_000
const read = 200

/**
 * What came of questions that were asked after a moment, once there are so many. `find`: who asks, which may become
 * another while its node is taken for gone.
 */
export async function answersSince(find: () => Promise<Asker>, sinceMs: number, count: number): Promise<string[]> {
  const deadline = Date.now() + givenUpMs
  for (;;) {
    const { node, container } = await find()
    const { status, body } = await node.client.call('GET', `/containers/${container}/logs?stdout=1&tail=${read}`)
    const answers = status === 200 ? readAnswers(body, sinceMs) : []
    if (answers.length >= count) return answers
    if (Date.now() > deadline) {
      const said = `${status} ${body.toString('utf8').slice(-200)}`
      throw new Error(`only ${answers.length} questions were asked on ${node.address} by ${container} (${said})`)
    }
    await pause(100)
  }
}

const headerBytes = 8

function readAnswers(body: Buffer, sinceMs: number): string[] {
  const answers: string[] = []
  for (let rest = body; rest.length >= headerBytes; ) {
    const end = headerBytes + rest.readUInt32BE(4)
    const [second = '', code = ''] = rest.toString('utf8', headerBytes, end).trim().split(' ')
    if (Number(second) * 1000 >= sinceMs) answers.push(code === '0' ? 'ok' : `failed with ${code}`)
    rest = rest.subarray(end)
  }
  return answers
}
