/** Draws a picture of an ID that is none, as a PNG. */
export async function specimenPhoto(name: string): Promise<File> {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [640, 400];
  const context = canvas.getContext("2d");
  if (context) {
    context.fillStyle = "#dfe3e8";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = "#20242a";
    context.font = "36px sans-serif";
    context.fillText("SPECIMEN, NO ID", 40, 90);
    context.fillText(name, 40, 180);
  }
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  return new File(picture ? [picture] : [], "specimen.png", { type: "image/png" });
}
