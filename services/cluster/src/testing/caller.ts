// Somebody who calls the cluster over HTTP, with credentials of their own.
export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever comes
  body: any
}

export class Caller {
  readonly url: string
  readonly email: string
  readonly uid: number
  readonly #authorization: string | undefined

  constructor(url: string, authorization?: string, email = '', uid = 1) {
    this.url = url
    this.email = email
    this.uid = uid
    this.#authorization = authorization
  }

  static basic(url: string, email: string, password: string, uid = 1): Caller {
    return new Caller(url, `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`, email, uid)
  }

  /** With their credentials. */
  get headers(): Record<string, string> {
    return this.#authorization === undefined ? {} : { authorization: this.#authorization }
  }

  /** A form is sent as multipart, anything else as JSON. */
  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const isForm = body instanceof FormData
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...this.headers,
        ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') === true
    return { status: response.status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text }
  }

  /** The module's package as a form. */
  upload(path: string, bytes: Uint8Array<ArrayBuffer>, field = 'module'): Promise<Answer> {
    const form = new FormData()
    form.append(field, new Blob([bytes]), 'module.zip')
    return this.call('POST', path, form)
  }
}
