// Builds over the engine's socket, as a client sends them.
import { type IncomingMessage, request } from 'node:http'
import { tarOf } from '../../images/testing/sample-tars.ts'

export interface BuildAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
  messages: any[]
  /** Everything in `stream`. */
  text: string
  error: string | undefined
  /** Of the last image. */
  imageId: string | undefined
}

type Entries = Parameters<typeof tarOf>[0]

/** A context of files by name. */
export const contextOf = (files: Record<string, string>, more: Entries = []): Buffer =>
  tarOf([...Object.entries(files).map(([name, data]) => ({ name, data })), ...more])

export function openBuild(
  socketPath: string,
  query: string,
  context: Buffer,
  headers: Record<string, string> = {},
): Promise<{ response: IncomingMessage; leave(): void }> {
  return new Promise((resolve, reject) => {
    const path = `${query.startsWith('/') ? '' : '/build?'}${query}`
    const type = { 'content-type': 'application/x-tar' }
    const sent = request({ socketPath, method: 'POST', path, headers: { ...type, ...headers } }, (response) =>
      resolve({ response, leave: () => sent.destroy() }),
    )
    sent.once('error', reject)
    sent.end(context)
  })
}

export async function build(
  socketPath: string,
  query: string,
  context: Buffer,
  headers?: Record<string, string>,
): Promise<BuildAnswer> {
  const { response } = await openBuild(socketPath, query, context, headers)
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece)
  const lines = Buffer.concat(pieces)
    .toString()
    .split('\n')
    .filter((line) => line.trim() !== '')
  const messages = lines.map((line) => JSON.parse(line))
  const ids = messages.flatMap(({ aux }) => (aux?.ID === undefined ? [] : [aux.ID]))
  return {
    status: response.statusCode ?? 0,
    messages,
    text: messages.map(({ stream = '' }) => stream).join(''),
    error: messages.find((each) => each.error ?? each.message)?.error ?? messages[0]?.message,
    imageId: ids.at(-1),
  }
}
