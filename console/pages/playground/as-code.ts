// A request of the playground as a program: what was tried out here goes on in an editor.
import { curlOf } from '../../api/curl.ts'
import type { ChatRequest } from './settings.ts'

export const languages = ['TypeScript', 'Python', 'curl'] as const
export type Language = (typeof languages)[number]

export const asCode: Record<Language, (base: string, request: ChatRequest) => string> = {
  TypeScript: (base, request) => `import OpenAI from 'openai'

const client = new OpenAI({
  baseURL: ${JSON.stringify(base)},
  apiKey: process.env.OPENAI_API_KEY,
})

const stream = await client.chat.completions.create({
  ...${indented(JSON.stringify(request, null, 2))},
  stream: true,
})
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta?.content ?? '')
}
`,
  Python: (base, request) => `import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(base)}, api_key=os.environ["OPENAI_API_KEY"])

stream = client.chat.completions.create(
${Object.entries(request)
  .map(([name, value]) => `    ${name}=${python(value, 1)},\n`)
  .join('')}    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="")
`,
  curl: (base, request) => `${curlOf(`${base}/chat/completions`, JSON.stringify(request, null, 2))}\n`,
}

const indented = (text: string): string => text.replaceAll('\n', '\n  ')

function python(value: unknown, depth: number): string {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = '    '.repeat(depth + 1)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const entries = Array.isArray(value)
    ? value.map((item) => python(item, depth + 1))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${python(item, depth + 1)}`)
  if (entries.length === 0) return `${open}${close}`
  return `${open}\n${entries.map((entry) => `${inner}${entry},\n`).join('')}${'    '.repeat(depth)}${close}`
}
