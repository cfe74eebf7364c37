/** The parts of a package that the example uses; only a deployment with S3 installs it. */
declare module "@aws-sdk/client-s3" {
  type Key = { Bucket: string; Key: string };
  type Output = { Body?: { transformToByteArray: () => Promise<Uint8Array> } };

  export class PutObjectCommand {
    constructor(input: Key & { Body: Uint8Array });
  }
  export class GetObjectCommand {
    constructor(input: Key);
  }
  export class DeleteObjectCommand {
    constructor(input: Key);
  }
  export class NoSuchKey extends Error {}
  export class S3Client {
    constructor(settings: {
      endpoint?: string;
      forcePathStyle?: boolean;
      requestChecksumCalculation?: "WHEN_REQUIRED";
    });
    send(
      command: PutObjectCommand | GetObjectCommand | DeleteObjectCommand,
      options: { abortSignal: AbortSignal },
    ): Promise<Output>;
  }
}
