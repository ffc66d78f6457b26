// How long a streamed answer takes to begin, over one connection that stays open.
import { Agent, request } from 'node:http'
import { median } from './measure.ts'
import type { Target } from './post-load.ts'

/** The median of so many answers, one after the other, in milliseconds. */
export async function firstTokenMs({ url, headers, body }: Target, count: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  const bytes = Buffer.from(body)
  const options = {
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json', 'content-length': bytes.length, ...headers },
  }
  try {
    for (let done = 0; done < count; done++) times.push(await once(url, options, bytes))
  } finally {
    agent.destroy()
  }
  return median(times)
}

function once(url: string, options: object, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    let firstMs = Number.NaN
    const outgoing = request(url, options, (response) => {
      let tail = ''
      response.on('data', (piece: Buffer) => {
        if (Number.isNaN(firstMs)) firstMs = performance.now() - startedAt
        tail = (tail + piece.toString('latin1')).slice(-200)
      })
      response.on('end', () => {
        if (response.statusCode === 200 && tail.includes('[DONE]')) resolve(firstMs)
        else reject(new Error(`${url} answered ${response.statusCode}: ${tail}`))
      })
      response.on('error', reject)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
