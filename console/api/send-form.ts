// Sends a form and tells how far it is: what fetch cannot do, the older interface can.
import { ApiError } from './api-error.ts'

interface Sending {
  path: string
  form: FormData
  project: string
  /** From 0 to 1. */
  onProgress(share: number): void
}

export function sendForm<Answer>({ path, form, project, onProgress }: Sending): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', path)
    request.setRequestHeader('x-atoll-console', '1')
    request.setRequestHeader('x-atoll-project', project)
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onerror = () => reject(new TypeError('The server cannot be reached.'))
    request.onload = () => {
      const answer = request.response as (Answer & { error?: { message: string; code: string | null } }) | null
      if (request.status === 200 && answer !== null) resolve(answer)
      else {
        const { message = `The server answered ${request.status}.`, code = null } = answer?.error ?? {}
        reject(new ApiError(request.status, message, code))
      }
    }
    request.send(form)
  })
}
