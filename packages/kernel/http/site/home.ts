/** What a service tells of itself to whoever opens its address. */
export interface Home {
  title: string
  /** One sentence. */
  about: string
  links: readonly { path: string; text: string }[]
  /** A command to copy. */
  example: string
}
