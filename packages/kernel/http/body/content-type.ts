// Content types as requests name them.
export interface ContentType {
  /** Lower case, without parameters; '' when the header is absent. */
  mediaType: string
  charset: string | undefined
}

export function parseContentType(header: string | undefined): ContentType {
  if (header === undefined) return { mediaType: '', charset: undefined }
  if (header === 'application/json') return { mediaType: header, charset: undefined }
  const [mediaType = '', ...parameters] = header.split(';')
  const charset = parameters.map((text) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(text)?.[1]).find(Boolean)
  return { mediaType: mediaType.trim().toLowerCase(), charset: charset?.toLowerCase() }
}

export const isJson = ({ mediaType, charset }: ContentType): boolean =>
  (mediaType === '' || mediaType === 'application/json' || /^[^/\s]+\/[^/\s]+\+json$/.test(mediaType)) &&
  (charset === undefined || charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii')
