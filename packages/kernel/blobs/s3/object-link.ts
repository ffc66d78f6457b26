// An address that lets whoever has it read one object for a short while, without our key.
import { GetObjectCommand } from '@aws-sdk/client-s3'
import type { LinkedAnswer } from '../blobs.ts'
import type { Bucket } from './bucket.ts'
import { bucketFailure } from './failure.ts'

/** A download may begin within this time; it may last longer. */
const linkSeconds = 300

/** What the client has made of the command before it signs it: where it goes, and with which query. */
interface Addressed {
  protocol: string
  hostname: string
  port?: number
  path: string
  query: Record<string, string | string[] | null>
  headers: Record<string, string>
}

interface Presigner {
  presign(request: Addressed, options: { expiresIn: number }): Promise<Addressed>
}

/** Nothing is asked of the bucket: whether the object is there is seen by who follows the link. */
export async function objectLink(bucket: Bucket, name: string, answer: LinkedAnswer): Promise<string> {
  const command = new GetObjectCommand({
    ...bucket.at(name),
    ResponseContentType: answer.contentType,
    ResponseContentDisposition: answer.contentDisposition,
    ...(answer.cacheControl !== undefined && { ResponseCacheControl: answer.cacheControl }),
  })
  let link = ''
  command.middlewareStack.addRelativeTo(
    () => async (args: { request: unknown }) => {
      const signer = (await bucket.client.config.signer()) as unknown as Presigner
      link = addressOf(await signer.presign(unsigned(args.request as Addressed), { expiresIn: linkSeconds }))
      return { output: { $metadata: {} }, response: undefined }
    },
    { name: 'linkInsteadOfSending', relation: 'before', toMiddleware: 'awsAuthMiddleware' },
  )
  try {
    await bucket.client.send(command)
  } catch (error) {
    throw bucketFailure('make a link', error)
  }
  return link
}

/** Whoever follows the link sends headers of their own. */
const unsigned = (request: Addressed): Addressed => {
  const { host = '' } = request.headers
  return Object.assign(request, { headers: { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } })
}

function addressOf({ protocol, hostname, port, path, query }: Addressed): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ''].flat().map((one) => [name, one] as const),
  )
  const text = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&')
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}?${text}`
}

/** As signatures count it (RFC 3986). */
const encoded = (text: string): string => encodeURIComponent(text).replace(/[!'()*]/g, percentEncode)
const percentEncode = (letter: string): string => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`
