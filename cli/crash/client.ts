// One caller of the server under test. A request that gets no answer throws Unanswered: whether it took effect is open.
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
}

export interface Answer {
  status: number
  bytes: Buffer<ArrayBuffer>
}

/** What the answers used here are made of. */
export interface Body {
  id: string
  bytes: number
  filename: string
  status: string
  file: Body
  data: Body[]
}

export class Client {
  readonly #url: string
  readonly #key: string
  readonly #headers: Record<string, string>

  constructor(url: string, key: string, headers: Record<string, string> = {}) {
    this.#url = url
    this.#key = key
    this.#headers = headers
  }

  as(key: string): Client {
    return new Client(this.#url, key, this.#headers)
  }

  async send(method: string, path: string, body?: FormData | object): Promise<Answer> {
    const headers: Record<string, string> = { ...this.#headers, authorization: `Bearer ${this.#key}` }
    const isJson = body !== undefined && !(body instanceof FormData)
    if (isJson) headers['content-type'] = 'application/json'
    const sent = isJson ? JSON.stringify(body) : body
    try {
      const response = await fetch(this.#url + path, { method, headers, ...(sent === undefined ? {} : { body: sent }) })
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) }
    } catch (error) {
      throw new Unanswered(`${method} ${path}`, { cause: error })
    }
  }

  /** For requests that a healthy server grants. */
  async json(method: string, path: string, body?: FormData | object): Promise<Body> {
    const answer = await this.send(method, path, body)
    const text = answer.bytes.toString()
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }

  createFile(filename: string, content: Uint8Array<ArrayBuffer>): Promise<Body> {
    return this.json('POST', '/v1/files', form('file', filename, content, { purpose: 'assistants' }))
  }

  createUpload(filename: string, bytes: number): Promise<Body> {
    const mime_type = 'application/octet-stream'
    return this.json('POST', '/v1/uploads', { filename, bytes, purpose: 'assistants', mime_type })
  }

  addPart(uploadId: string, content: Uint8Array<ArrayBuffer>): Promise<Body> {
    return this.json('POST', `/v1/uploads/${uploadId}/parts`, form('data', 'part', content))
  }
}

function form(
  field: string,
  filename: string,
  content: Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  data.append(field, new Blob([content]), filename)
  return data
}
