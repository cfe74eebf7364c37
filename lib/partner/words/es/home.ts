import { brandName } from "../../../../brand/name.ts";
import type * as english from "../en/home.ts";
import type { Translation } from "../translation.ts";

export const home: Translation<typeof english.home> = {
  eyebrow: "Pagos para vendedores",
  headline: `${brandName} les paga a sus vendedores.`,
  lead: "Regístrese, obtenga su aprobación y siga cada pago hasta que llegue. Toma unos tres minutos.",
  signUp: "Registrarse como vendedor",
  signInAsOperator: "Iniciar sesión como operador",
  goToDashboard: "Ir a su resumen",
  goToPayments: "Ir a los pagos",
  story: {
    caption: `Cómo recibe su dinero, en seis pasos, entre usted, ${brandName} y [service]`,
    you: "Usted",
    seller: "el vendedor",
    marketplace: "el mercado",
    service: "su cuenta",
    fromTo: ", de <from></from> a <to></to>",
    signUp: "Usted se registra y nos dice quién es",
    sendDetails: `${brandName} envía sus datos de forma segura`,
    approve: "Su cuenta queda aprobada",
    authorize: `Usted autoriza a ${brandName} a ver su cuenta`,
    connect: `${brandName} se conecta a su cuenta`,
    pay: `${brandName} le paga y usted ve llegar el dinero`,
  },
};

export const publicSandbox: Translation<typeof english.publicSandbox> = {
  banner:
    "Este es su propio entorno de pruebas privado. Las personas y el dinero son inventados, y todo se borra después de 24 horas. Por favor, no ingrese datos reales.",
  full: {
    title: "Todos los entornos de pruebas están ocupados",
    text: "Inténtelo más tarde, o ejecute Gangway en su propia computadora. Basta un solo comando.",
  },
  busy: {
    title: "Un momento, por favor",
    text: "Muchas personas están abriendo un entorno de pruebas en este momento. Inténtelo de nuevo en un minuto.",
  },
  too_many_of_address: {
    title: "Demasiados entornos de pruebas desde su red",
    text: "Inténtelo de nuevo en una hora, o ejecute Gangway en su propia computadora. Basta un solo comando.",
  },
  too_fast: {
    title: "Eso fue demasiado rápido",
    text: "Espere diez segundos y vuelva a cargar la página.",
  },
  used_up: {
    title: "Su entorno de pruebas llegó a su límite",
    text: "Se borró con todo su contenido. Vaya a la página de inicio para obtener uno nuevo.",
  },
  over: {
    title: "Este entorno de pruebas ya no existe",
    text: "Cada entorno de pruebas se borra después de 24 horas. Vaya a la página de inicio para obtener uno nuevo.",
  },
  no_browser: {
    title: "El entorno de pruebas público de Gangway",
    text: "Abra esta página en un navegador web para obtener su propio entorno de pruebas.",
  },
  left_out: {
    title: "Esta parte no es pública",
    text: "El entorno de pruebas público no tiene consola, API ni referencia. Ejecute Gangway en su propia computadora para usarlas. Basta un solo comando.",
  },
  broken: {
    title: "Algo salió mal de nuestro lado",
    text: "Inténtelo de nuevo en un momento.",
  },
  home: "Ir a la página de inicio",
};
