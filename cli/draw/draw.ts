// `./atoll draw "prompt"`: a picture from a running server, as a PNG file.
import { writeFile } from 'node:fs/promises'
import { redact } from '@atoll/kernel/telemetry/redaction'
import { CommandProblem } from '../command-problem.ts'
import { PlatformServer } from '../platform-server.ts'
import { ProgressLine } from '../progress-line.ts'

interface DrawFlags {
  output: string
  size: string
  style: string
  model: string
  url?: string
}

interface Drawn {
  data?: { b64_json?: string; revised_prompt?: string }[]
}

const interruptedCode = 130

class DrawServer extends PlatformServer {
  async draw(prompt: string, { model, size, style }: DrawFlags, signal: AbortSignal): Promise<Drawn> {
    const looks = /^dall-e-2\b/.test(model) ? {} : { style }
    const body = JSON.stringify({ model, prompt, size, response_format: 'b64_json', ...looks })
    const headers = { 'content-type': 'application/json' }
    return (await this.send('images/generations', { method: 'POST', body, headers, signal })).json() as Promise<Drawn>
  }
}

export async function draw(prompt: string, flags: DrawFlags): Promise<void> {
  const stop = new AbortController()
  for (const event of ['SIGINT', 'SIGTERM'] as const) process.once(event, () => stop.abort())
  const line = new ProgressLine(process.stderr)
  try {
    const server = new DrawServer(flags.url, process.env)
    line.show('Drawing …')
    const startedAt = performance.now()
    const [picture] = (await server.draw(prompt, flags, stop.signal)).data ?? []
    if (picture?.b64_json === undefined) throw new CommandProblem('the server answered without a picture.')
    const png = Buffer.from(picture.b64_json, 'base64')
    await writeFile(flags.output, png)
    line.close()
    if (picture.revised_prompt !== undefined) process.stdout.write(`${picture.revised_prompt}\n`)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    process.stdout.write(`${flags.output}: ${flags.size}, ${Math.round(png.length / 1000)} kB, ${seconds} s\n`)
  } catch (error) {
    line.close()
    process.stderr.write(stop.signal.aborted ? 'Stopped.\n' : `${redact((error as Error).message)}\n`)
    process.exitCode = stop.signal.aborted ? interruptedCode : 1
  }
}
