// How the bytes of a body are told from what follows them.
/** Takes bytes as they come; `rest` is what follows the body. */
export interface BodyDecoder {
  take(chunk: Buffer): { body: Buffer[]; rest: Buffer | undefined }
}
