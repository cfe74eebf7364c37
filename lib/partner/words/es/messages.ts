import { brandName } from "../../../../brand/name.ts";
import type { messages as english } from "../en/messages.ts";
import type { Translation } from "../translation.ts";

export const messages: Translation<typeof english> = {
  codeSubject: `Su código de ${brandName}`,
  code: `Su código de ${brandName} es {code}. Funciona durante {minutes} minutos. ${brandName} nunca le llamará para pedírselo.`,
  longCodeSubject: `Su código más largo de ${brandName}`,
  longCode: `Su código más largo de ${brandName} es {code}. Funciona durante varias horas. Alguien está pidiendo muchos códigos. Si no es usted, no tiene que hacer nada. ${brandName} nunca le llamará para pedírselo.`,
  takenSubject: `Usted ya tiene una cuenta en ${brandName}`,
  taken: `Alguien acaba de intentar registrarse en ${brandName} con su correo electrónico. Si fue usted, ya tiene una cuenta: inicie sesión en {address}. Si no fue usted, no tiene que hacer nada.`,
};
