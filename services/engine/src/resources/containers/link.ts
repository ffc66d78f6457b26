// A link as it is asked for and kept.
export interface Link {
  /** Name or id of the other container. */
  name: string
  alias: string
}

/** `name:alias`, or as it is kept `/name:/this/alias`. */
export function parseLink(text: string): Link {
  const [name = '', alias = name] = text.split(':')
  return { name: name.replace(/^\//, ''), alias: alias.replace(/^.*\//, '') }
}
