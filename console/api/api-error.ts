/** What the server refused, in its own words: they say what to do. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string | null

  constructor(status: number, message: string, code: string | null) {
    super(message)
    this.status = status
    this.code = code
  }
}

export async function errorOf(response: Response): Promise<ApiError> {
  const text = await response.text()
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string; code?: string | null } }
    if (error?.message !== undefined) return new ApiError(response.status, error.message, error.code ?? null)
  } catch {
    // Something between here and the server may have answered in its place.
  }
  return new ApiError(response.status, `The server answered ${response.status}.`, null)
}

export const messageOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.message
  if (error instanceof TypeError) return 'The server cannot be reached. Does it run?'
  return error instanceof Error ? error.message : String(error)
}
