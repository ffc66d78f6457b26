// What this project uses of @xmpp/client, which comes without types.
declare module '@xmpp/client' {
  export interface Element {
    name: string
    attrs: Record<string, string | undefined>
    is(name: string, namespace?: string): boolean
    getChild(name: string, namespace?: string): Element | undefined
    getChildElements(): Element[]
    getChildText(name: string): string | null
  }

  export interface Client {
    options: { domain: string }
    reconnect: { stop(): void }
    iqCaller: { get(element: Element, to: string, timeoutMs: number): Promise<Element> }
    start(): Promise<unknown>
    stop(): Promise<unknown>
    send(element: Element): Promise<void>
    isSecure(): boolean
    on(event: 'error', listener: (error: Error) => void): this
    on(event: 'stanza', listener: (stanza: Element) => void): this
    off(event: 'stanza', listener: (stanza: Element) => void): this
    once(event: 'disconnect', listener: () => void): this
  }

  export function client(options: {
    service: string
    domain: string
    resource?: string
    credentials(
      authenticate: (
        credentials: { username: string; password: string },
        mechanism: string | undefined,
      ) => Promise<void>,
      mechanisms: string[],
    ): Promise<void>
  }): Client

  export function xml(name: string, attrs: Record<string, string>, ...children: (Element | string)[]): Element
}
