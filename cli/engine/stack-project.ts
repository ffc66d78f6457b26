// The project that the tours of a swarm deploy as a stack: a page that is a config, a password that is a secret.
import { join } from 'node:path'
import { projectFolder } from './project-folder.ts'

const shared = `networks:
  inside: {}
configs:
  page: { file: ./page.html }
secrets:
  password: { file: ./password.txt }
`

/** @param services as a compose file has them. Returns the path of that file. */
export function stackProject(parent: string, services: string): string {
  const folder = projectFolder(parent, 'project', {
    'page.html': 'a page of the stack\n',
    'password.txt': 'open sesame',
    'stack.yml': `version: "3.8"\nservices:\n${services}${shared}`,
  })
  return join(folder, 'stack.yml')
}
