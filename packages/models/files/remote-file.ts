// What a server says about a file before it is fetched: its size, what identifies it, whether parts can be asked for.
import { discard, type HubAnswer, type HubClient, networkProblem, shownUrl } from './hub-client.ts'
import { ChangedProblem, ModelFileProblem, PassingProblem } from './problem.ts'
import type { ModelSource } from './source.ts'

export interface RemoteFile {
  /** Absent when a server without ranges does not tell. */
  bytes: number | undefined
  /** Changes when the file does. */
  etag: string | undefined
  sha256: string | undefined
  commit: string | undefined
  ranges: boolean
}

const magic = 'GGUF'
const maxBytes = 2 ** 40
/** A server that honours ranges sends four. */
const maxPartBytes = 1024
const maxRetryAfterSeconds = 120

export async function probe(client: HubClient, source: ModelSource, signal: AbortSignal): Promise<RemoteFile> {
  const answer = await client.get(source.url, signal, [0, magic.length - 1])
  if (answer.status === 416) throw new ModelFileProblem(`${shownUrl(source.url)} is empty`)
  throwForStatus(answer, source, client)
  const { response, linked, fromHub } = answer
  const bytes = sizeOf(answer, source)
  await mustBeginAsGguf(answer, source)
  const etag = etagOf(answer)
  // Only the hub's own word: elsewhere an ETag can look like a checksum and be none.
  const promised = linked.etag ?? (fromHub ? response.headers.etag : undefined)
  const sha256 = /^(?:W\/)?"?([0-9a-f]{64})"?$/i.exec(promised ?? '')?.[1]?.toLowerCase()
  return { bytes, etag, sha256, commit: linked.commit, ranges: answer.status === 206 }
}

/** What tells one version of the file from another. */
export function etagOf({ linked, response: { headers } }: HubAnswer): string | undefined {
  const text = linked.etag ?? headers.etag ?? headers['last-modified']
  return text?.replace(/^W\//, '').replaceAll('"', '').slice(0, 500)
}

/** That a part is the one asked for, of the file as it was. */
export function checkPart(answer: HubAnswer, remote: RemoteFile, start: number): void {
  const { status, response } = answer
  if (etagOf(answer) !== remote.etag) throw new ChangedProblem('the file changed on the server')
  if (status !== 206) throw new PassingProblem(`the server answered a request for a part with status ${status}`)
  const range = contentRange(response.headers['content-range'])
  if (range.bytes !== remote.bytes) throw new ChangedProblem('the file has another size now')
  if (range.start !== start) throw new PassingProblem('the server sent another part than the one asked for')
}

export function throwForStatus(answer: HubAnswer, source: ModelSource, client: HubClient): void {
  const { status, response, fromHub } = answer
  if (status === 200 || status === 206) return
  discard(response)
  const at = shownUrl(source.url)
  if (status === 416) throw new ChangedProblem('the file is shorter now')
  const passing = [408, 425, 429].includes(status) || status >= 500 || (status === 403 && !fromHub)
  if (passing) {
    const retryAfterSeconds = secondsOf(response.headers['retry-after'])
    throw new PassingProblem(`${source.url.host} answered with status ${status}`, { retryAfterSeconds })
  }
  if (status === 401 || status === 403) throw new ModelFileProblem(refusal(answer, source, client))
  if (status === 404 || status === 410) throw new ModelFileProblem(`there is no such file: ${at} (status ${status})`)
  throw new ModelFileProblem(`${at} cannot be fetched: the server answered with status ${status}`)
}

function refusal({ linked, status }: HubAnswer, { url, page }: ModelSource, client: HubClient): string {
  const where = page ?? shownUrl(url)
  if (page !== undefined && linked.error === 'RepoNotFound') {
    return `there is no repository ${page}, or it is private. For a private one set HF_TOKEN to a token that may read it.`
  }
  if (client.sendsToken)
    return `${where} refuses the token in HF_TOKEN (status ${status}). Open ${where} in a browser, accept its terms, and check that the token may read it.`
  return `${where} needs an account (status ${status}). Open it in a browser, accept its terms, make a token there, and set HF_TOKEN to it.`
}

function sizeOf({ status, response, linked }: HubAnswer, { url }: ModelSource): number | undefined {
  const { headers } = response
  const text = status === 206 ? String(contentRange(headers['content-range']).bytes) : headers['content-length']
  const bytes = text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
  if (bytes !== undefined && bytes > maxBytes)
    throw new ModelFileProblem(`${shownUrl(url)} claims to have ${bytes} bytes`)
  if (bytes === undefined && status === 206)
    throw new ModelFileProblem(`${url.host} does not tell the size of the file`)
  if (linked.bytes !== undefined && bytes !== undefined && linked.bytes !== String(bytes)) {
    throw new ModelFileProblem(
      `the hub says that the file has ${linked.bytes} bytes, its storage has ${bytes}. Try again later.`,
    )
  }
  return bytes
}

function contentRange(header: string | undefined): { start: number | undefined; bytes: number | undefined } {
  const [, start, bytes] = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(header ?? '') ?? []
  return {
    start: start === undefined ? undefined : Number(start),
    bytes: bytes === undefined ? undefined : Number(bytes),
  }
}

function secondsOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const seconds = /^\d{1,6}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), maxRetryAfterSeconds)
}

/** A login page is found out before a gigabyte of anything is fetched. */
async function mustBeginAsGguf({ response, status }: HubAnswer, { url }: ModelSource): Promise<void> {
  let start = Buffer.alloc(0)
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      start = Buffer.concat([start, chunk])
      // The end of a short answer is waited for, so that its connection can serve again.
      if (start.length > maxPartBytes || (status === 200 && start.length >= magic.length)) break
    }
  } catch (error) {
    throw networkProblem(error, url)
  }
  const found = start.toString('latin1', 0, magic.length)
  if (found === magic) return
  const type = response.headers['content-type']?.slice(0, 100)
  const page = /html/i.test(type ?? '')
    ? 'a web page, perhaps one to log in'
    : `it begins with ${JSON.stringify(found)}`
  throw new ModelFileProblem(`${shownUrl(url)} is not a GGUF file: ${page}${type ? ` (${type})` : ''}`)
}
